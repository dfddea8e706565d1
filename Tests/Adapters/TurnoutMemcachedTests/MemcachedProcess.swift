#if Memcached
    import Foundation
    import TestSupport
    import TurnoutClient
    import TurnoutMemcached

    /// A real memcached, on a free port or a Unix socket. It goes with the test.
    final class MemcachedProcess: Sendable {
        struct Failure: Error {}

        private let directory = TemporaryDirectory()
        private let process: Locked<Process>
        private let arguments: [String]
        let server: MemcachedAddress

        /// Starts a server on a port or a Unix socket, with more arguments for it.
        init(onSocket isSocket: Bool = false, _ arguments: [String] = []) throws {
            try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
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
            process.withLock { process in
                guard process.isRunning else { return }
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
        }

        /// Starts it again, in the same place, with nothing in its memory.
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
                // It has ended: meanwhile the system gave the port to somebody else, for a moment.
                Thread.sleep(forTimeInterval: 0.1)
            }
            throw Failure()
        }

        private static func start(_ arguments: [String], ports: String) throws -> Process {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["memcached", "-l", "127.0.0.1", "-U", "0", "-t", "2", "-u", NSUserName()] + arguments
            process.environment = ProcessInfo.processInfo.environment.merging(["MEMCACHED_PORT_FILENAME": ports]) { $1 }
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }

        @discardableResult
        private static func await<Value>(_ process: Process, _ value: () -> Value?) throws -> Value {
            while process.isRunning {
                if let value = value() { return value }
                Thread.sleep(forTimeInterval: 0.005)
            }
            throw Failure()
        }
    }

    extension MemcachedOptions {
        /// So patient that a busy machine is no fault, under a prefix that nobody else has.
        static func patient(_ servers: MemcachedAddress...) -> MemcachedOptions {
            var options = MemcachedOptions(servers: servers)
            options.prefix = UUID().uuidString + ":"
            options.connectTimeout = .seconds(60)
            options.answerTimeout = .seconds(60)
            options.timeout = .seconds(120)
            options.retryInterval = .milliseconds(20)
            return options
        }
    }
#endif
