import Foundation

/// The process of a server: `python3` with the script beside this file.
final class ServerProcess: Sendable {
    let port: UInt16
    private let process: Process
    // As long as it is open, the script runs.
    private let input: FileHandle

    init() throws {
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Without what the user's own Python has, and without leaving compiled files beside the script.
        process.arguments = ["python3", "-I", "-S", "-B", Self.script]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.process = process
        self.input = input.fileHandleForWriting
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw LoopbackServer.Failure(description: "python3 did not start a server") }
            line += data
        }
        guard let port = UInt16(String(decoding: line.dropLast(), as: UTF8.self)) else {
            throw LoopbackServer.Failure(description: "python3 printed no port")
        }
        self.port = port
    }

    private static var script: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("loopback_server").path
    }

    var id: Int32 { process.processIdentifier }

    func stop() {
        try? input.close()
        guard process.isRunning else { return }
        process.terminate()
        for _ in 0..<500 where process.isRunning { Thread.sleep(forTimeInterval: 0.002) }
        if process.isRunning { kill(id, SIGKILL) }
    }
}
