#if os(Linux) && Server && YAML
    import Foundation
    import TestProcesses
    import TestSupport

    /// Servers on a socket that another process has, as with systemd's socket activation.
    @Suite("Restarts on a passed socket", .blocking)
    struct RestartTests {
        /// What happened to clients that each connect for one request.
        private struct Outcomes {
            var answered = 0
            var refused = 0
            var broken = 0
            var areComplete = false
        }

        private let folder = TemporaryDirectory(isCreated: true)

        /// Starts a server as systemd does, and waits until it listens. Returns its messages up to that.
        private func start(on socket: TestSocket, count: Int = 1) throws -> (process: ChildProcess, log: [String]) {
            let command = "LISTEN_PID=$$ LISTEN_FDS=\(count) exec \"$0\" serve \"$@\""
            let process = try ChildProcess(
                "/bin/sh",
                [
                    "-c", command, ServedProject.program, "--flags", folder.path, "--port", "1", "--set",
                    "shutdown.delay=0", "--set", "server.threads=3",
                ], errors: .pipe, passing: socket.descriptor)
            var log: [String] = []
            while log.last?.contains("info listening") != true, log.last != "" { log.append(try process.readLine()) }
            return (process, log)
        }

        /// Connects for one request after the other until it is told to end.
        private func connect(_ port: Int, _ outcomes: borrowing Locked<Outcomes>) {
            while !outcomes.withLock({ $0.areComplete }) {
                guard let socket = try? TestSocket.connected(to: port) else {
                    outcomes.withLock { $0.refused += 1 }
                    continue
                }
                socket.write(Array("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
                let isAnswered = socket.isReadable(within: 60_000) && socket.read().starts(with: "HTTP/1.1 200".utf8)
                outcomes.withLock { if isAnswered { $0.answered += 1 } else { $0.broken += 1 } }
            }
        }

        @Test func noConnectionIsRefused() async throws {
            try ServedProject.edit(folder.path, 1, sdkKeys: ["key"])
            let (socket, port) = try TestSocket.listening()
            let outcomes = Locked(Outcomes())
            var (server, log) = try await blocking { try start(on: socket) }
            #expect(log.contains { $0.contains("passed, 127.0.0.1 port \(port); the configured 127.0.0.1 port 1 has") })
            async let clients: Void = blocking { connect(port, outcomes) }
            for (round, signal) in [SIGTERM, SIGTERM, SIGTERM, SIGKILL].enumerated() {
                try await wait("answers") { outcomes.withLock { $0.answered } >= 50 * (round + 1) }
                // Only a process that is killed breaks connections.
                #expect(outcomes.withLock { $0.broken } == 0)
                let earlier = server
                (server, log) = try await blocking {
                    earlier.send(signal)
                    #expect(earlier.waitUntilExit() == (signal == SIGTERM ? 0 : 128 + SIGKILL))
                    return try start(on: socket)
                }
            }
            outcomes.withLock { $0.areComplete = true }
            try await clients
            server.end()
            #expect(outcomes.withLock { $0.refused == 0 && $0.broken <= 1 })
        }

        @Test func severalSocketsAreAMistake() async throws {
            try ServedProject.edit(folder.path, 1, sdkKeys: ["key"])
            let socket = try TestSocket.listening().socket
            let (server, log) = try await blocking { try start(on: socket, count: 2) }
            #expect(log.contains { $0.contains("has passed 2 sockets, and a server listens on one") }, "\(log)")
            #expect(try await blocking { server.waitUntilExit() } == 1)
        }
    }
#endif
