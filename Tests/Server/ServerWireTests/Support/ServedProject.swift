#if os(Linux) && Server && YAML
    import Foundation
    import TestProcesses
    import TestSupport
    import TurnoutCommandIO
    import TurnoutCommands

    /// `turnout serve` in a process of its own, with the flags of a folder or of a hub.
    final class ServedProject: Sendable {
        let port: Int
        private let folder: String?
        private let options: [String]
        private let run = Locked<ChildProcess?>(nil)

        /// Starts a server, and waits until it is ready.
        init(_ folder: String? = nil, options: [String] = []) async throws {
            port = try TestSocket.listening().port
            self.folder = folder
            self.options = options
            try await start()
        }

        var address: String { "http://127.0.0.1:\(port)" }

        /// Starts the server again, at the same port.
        func start() async throws {
            let flags = folder.map { ["--flags", $0] } ?? []
            let options = flags + ["--port", "\(port)", "--set", "shutdown.delay=0"] + self.options
            let process = try ChildProcess(Self.program, ["serve"] + options)
            run.withLock { $0 = process }
            try await wait("a server that is ready") {
                (try? await LiveTransport.make().send(HTTPRequest(.get, address + "/ready")))?.status == 200
            }
        }

        /// Stops the server as an operator does.
        func stop() async throws {
            let running = run.withLock { running in
                defer { running = nil }
                return running
            }
            let process = try #require(running)
            process.send(SIGTERM)
            let status = try await blocking { process.waitUntilExit() }
            #expect(status == 0)
        }

        /// After a failed test.
        deinit { run.withLock { $0?.end() } }

        /// The command, built beside the tests. An exit test would block a thread of Swift's pool for each server.
        static var program: String {
            URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/turnout"
        }

        // MARK: The project

        /// Writes the project, whose flag `a` has a variable `n` with a number, and other lines. The first environment
        /// is `production`.
        static func edit(_ folder: String, _ number: Int, sdkKeys: [String], others: String = "") throws {
            let names = ["production"] + (1..<sdkKeys.count).map { "other\($0)" }
            let environments = zip(names, sdkKeys).map { "\($0): {sdk_key: \($1)}" }.joined(separator: ", ")
            let text = """
                project: shop
                environments: {\(environments)}
                flags: {a: {variables: {n: 0}, variations: {on: {variables: {n: \(number)}}}, else: on}}
                \(others)

                """
            try text.write(toFile: folder + "/flags.yaml", atomically: true, encoding: .utf8)
        }

        /// Compiles the project, as a user does before committing it.
        static func compile(_ folder: String) async {
            _ = await #expect(processExitsWith: .exitCode(0)) { [folder = folder as String] in
                StandardStream.reserve()
                exit(await Tool.run(["compile", folder + "/flags.yaml"]))
            }
        }
    }
#endif
