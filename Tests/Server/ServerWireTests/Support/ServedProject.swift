#if os(Linux) && Server && SQLite && YAML
    import Foundation
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutCommands

    /// `turnout serve` in a process of its own, with the project file of a folder.
    final class ServedProject: Sendable {
        let port: Int
        private let folder: String
        private let options: [String]
        private let run = Locked<(process: Int32, end: Task<Void, Never>)?>(nil)

        /// Starts a server, and waits until it is ready.
        init(_ folder: String, options: [String] = []) async throws {
            port = try TestSocket.listening().port
            self.folder = folder
            self.options = options
            try await start()
        }

        var address: String { "http://127.0.0.1:\(port)" }

        /// Starts the server again, at the same port.
        func start() async throws {
            let arguments =
                ["serve", "--flags", folder, "--port", "\(port)", "--set", "shutdown.delay=0"] + options
            let (process, input) = (processFile, folder)
            let task = Task {
                _ = await #expect(processExitsWith: .exitCode(0)) {
                    [arguments = arguments as [String], process = process as String, input = input as String] in
                    try "\(getpid())".write(toFile: process, atomically: true, encoding: .utf8)
                    try #require(chdir(input) == 0)
                    StandardStream.reserve()
                    exit(await Tool.run(arguments))
                }
            }
            try await wait("the process") { processID != nil }
            let id = try #require(processID)
            run.withLock { $0 = (id, task) }
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
            let (process, end) = try #require(running)
            kill(process, SIGTERM)
            await end.value
            try FileManager.default.removeItem(atPath: processFile)
        }

        /// After a failed test.
        deinit { if let (process, _) = run.withLock({ $0 }) { kill(process, SIGKILL) } }

        private var processFile: String { folder + "/.\(port).pid" }
        private var processID: Int32? {
            (try? String(contentsOfFile: processFile, encoding: .utf8)).flatMap { Int32($0) }
        }

        // MARK: The project

        /// Writes the project, whose flag `a` has a variable `n` with a number, and other lines.
        static func edit(
            _ folder: String, _ number: Int, others: String = ""
        ) throws {
            let text = """
                project: shop
                environments: {production: {sdk_key: \(LiveServer.key)}}
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
