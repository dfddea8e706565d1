import Foundation

/// A server process that ends with this process, however that ends.
final class ServerProcess {
    private let shell = Process()
    // The server runs while this is open.
    private let input = Pipe()

    /// Starts a program in the background.
    init(_ path: String, _ arguments: [String]) throws {
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", #""$@" > /dev/null 2>&1 & read line; kill -9 $!"#, "sh", path] + arguments
        shell.standardInput = input
        try shell.run()
    }

    deinit { stop() }

    func stop() {
        try? input.fileHandleForWriting.close()
        shell.waitUntilExit()
    }

    /// Low-priority programs that keep all processors busy: a virtual machine's processor takes longer to wake up than
    /// a server to respond.
    static func idleServers() throws -> [ServerProcess] {
        try (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
            try ServerProcess("/usr/bin/env", ["nice", "-n", "19", "sh", "-c", "while :; do :; done"])
        }
    }

    /// Waits until `call` succeeds.
    func waitUntilReady(_ call: () throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do { return try call() } catch { if ContinuousClock.now > end { throw error } }
            usleep(10_000)
        }
    }

    /// The path of a program found as in a shell, or nil.
    static func program(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// An unused port.
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
