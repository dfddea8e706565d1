import Foundation

/// A server that is a child of this process, and ends with it, however that ends.
final class ServerProcess {
    private let shell = Process()
    // As long as it is open, the server runs.
    private let input = Pipe()

    /// Starts a program in the background.
    init(_ path: String, _ arguments: [String]) throws {
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", #""$@" > /dev/null 2>&1 & read line; kill -9 $!"#, "sh", path] + arguments
        shell.standardInput = input
        try shell.run()
    }

    deinit { stop() }

    /// Ends it.
    func stop() {
        try? input.fileHandleForWriting.close()
        shell.waitUntilExit()
    }

    /// Programs that use what nobody else wants of the processors, so that none falls asleep: that of a virtual machine
    /// takes longer to wake up than a server to answer.
    static func idlers() throws -> [ServerProcess] {
        try (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
            try ServerProcess("/usr/bin/env", ["nice", "-n", "19", "sh", "-c", "while :; do :; done"])
        }
    }

    /// Waits until a call of it succeeds.
    func waitUntilReady(_ call: () throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do { return try call() } catch { if ContinuousClock.now > end { throw error } }
            usleep(10_000)
        }
    }

    /// Where a program is that a shell would find; nil: nowhere.
    static func program(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// A port on which nobody listens now.
    static func freePort() throws -> UInt16 {
        #if os(Linux)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw ChildProcess.Failure(description: "no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
