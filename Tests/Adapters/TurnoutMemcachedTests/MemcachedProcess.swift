import Foundation
import TestProcesses

/// A memcached process on a free port or a Unix socket. It ends with the test.
final class MemcachedProcess: Sendable {
    struct Failure: Error {}

    private let directory = TemporaryDirectory(isCreated: true)
    private let process: Locked<ChildProcess>
    private let arguments: [String]
    let server: ProfileServerAddress

    /// Starts a server on a port or a Unix socket, with additional arguments.
    init(onSocket isSocket: Bool = false, _ arguments: [String] = []) throws {
        let (ports, socket) = (directory.path + "/ports", directory.path + "/socket")
        let place = isSocket ? ["-s", socket] : ["-p", "-1"]
        let process = try Self.start(place + arguments, ports: ports)
        self.process = Locked(process)
        guard !isSocket else {
            self.arguments = place + arguments
            server = .unixSocket(path: socket)
            try Self.await(process) { FileManager.default.fileExists(atPath: socket) ? true : nil }
            return
        }
        let port = try Self.await(process) {
            let line = (try? String(contentsOfFile: ports, encoding: .utf8))?.split(separator: "\n").first
            return line.flatMap { Int($0.split(separator: " ").last ?? "") }
        }
        self.arguments = ["-p", "\(port)"] + arguments
        server = .host("127.0.0.1", port: port)
    }

    deinit { stop() }

    private static let attempts = 100
    private var isOnSocket: Bool { if case .unixSocket = server { true } else { false } }

    /// Kills the server.
    func stop() {
        process.withLock { $0.end() }
    }

    /// Restarts the server at the same address, with empty memory.
    func restart() throws {
        stop()
        let ports = directory.path + "/ports-again"
        try? FileManager.default.removeItem(atPath: ports)
        for _ in 0..<Self.attempts {
            let started = try Self.start(arguments, ports: ports)
            process.withLock { $0 = started }
            let isReady: Bool? = try? Self.await(started) {
                isOnSocket || FileManager.default.fileExists(atPath: ports) ? true : nil
            }
            if isReady == true { return }
            // The server has exited: another process has taken the port.
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw Failure()
    }

    private static func start(_ arguments: [String], ports: String) throws -> ChildProcess {
        try ChildProcess(
            "memcached", ["-l", "127.0.0.1", "-U", "0", "-t", "2", "-u", NSUserName()] + arguments,
            environment: ["MEMCACHED_PORT_FILENAME": ports])
    }

    @discardableResult
    private static func await<Value>(_ process: ChildProcess, _ value: () -> Value?) throws -> Value {
        var found: Value?
        try waitBlocking("a server that is ready, or has exited") {
            found = value()
            return found != nil || !process.isRunning
        }
        guard let found else { throw Failure() }
        return found
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests of memcached if it is not installed.
    static var needsMemcached: Self {
        .enabled("memcached is not installed") {
            ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
                FileManager.default.isExecutableFile(atPath: $0 + "/memcached")
            }
        }
    }
}

extension MemcachedOptions {
    /// Long time limits, so that a busy machine does not cause failures, and a unique prefix.
    static func longTimeouts(
        _ servers: ProfileServerAddress..., changing change: (inout MemcachedOptions) -> Void = { _ in }
    ) -> MemcachedOptions {
        var options = MemcachedOptions(servers: servers)
        options.prefix = UUID().uuidString + ":"
        options.connectTimeout = .seconds(60)
        options.responseTimeout = .seconds(60)
        options.timeout = .seconds(120)
        options.retryInterval = .milliseconds(20)
        change(&options)
        return options
    }
}
