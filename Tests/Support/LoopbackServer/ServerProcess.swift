import Foundation
import TestProcesses

/// The process of a server: `python3` with the script next to this file.
final class ServerProcess: Sendable {
    let port: UInt16
    // The script runs until its input ends.
    private let process: ChildProcess

    init() throws {
        // Without the user's site packages, and without writing bytecode next to the script.
        process = try ChildProcess("python3", ["-I", "-S", "-B", Self.script], output: .pipe, errors: .inherited)
        guard let port = UInt16(try process.readLine()) else {
            throw LoopbackServer.Failure(description: "python3 did not start a server, or printed no port")
        }
        self.port = port
    }

    private static var script: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("loopback_server").path
    }

    var id: Int32 { process.id }

    func stop() { process.end() }
}
