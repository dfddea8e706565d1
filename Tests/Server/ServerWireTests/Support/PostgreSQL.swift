#if PostgreSQL
    import Foundation
    import LibC
    import TestProcesses
    import TestSupport
    import TurnoutClient
    import TurnoutServer

    /// A PostgreSQL server with its own directory. It ends with the test, or with the process of the tests.
    final class PostgreSQL: EngineServer {
        static let programs = "/usr/lib/postgresql/15/bin/"

        private let directory = TemporaryDirectory(isCreated: true)
        private let running = Locked<(shell: ChildProcess, id: Int32)?>(nil)
        private let port: Int

        var credentialed: String { "postgresql://turnout:p%26%25s@127.0.0.1:\(port)/postgres" }
        var refusal: (statement: String, words: String) {
            ("ALTER TABLE turnout_events ADD CONSTRAINT good CHECK (visitor_id <> 'bad')", "violates check constraint")
        }

        init() async throws {
            port = try TestSocket.listening().port
            let path = directory.path
            try "p&%s".write(toFile: path + "/password", atomically: false, encoding: .utf8)
            if geteuid() == 0 { _ = try run("/bin/chown", ["-R", "postgres", path]) }
            let options = ["--auth=scram-sha-256", "--pwfile=\(path)/password", "--no-sync", "--locale=C"]
            _ = try run(
                "/bin/sh", Self.command("initdb", ["-D", path + "/data", "-U", "turnout", "-E", "UTF8"] + options))
            try await start()
        }

        deinit { kill() }

        func engine(over _: any Transport = LiveTransport.make()) -> (any EventEngine)? {
            PostgreSQLEngine(credentialed, node: "a")
        }

        /// PostgreSQL refuses to run as root. The shell ends it as a crash would: without writing what is in memory.
        private static func command(_ program: String, _ arguments: [String]) -> [String] {
            let user = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
            let script = #""$@" > /dev/null 2>&1 & echo $!; read line; kill -QUIT $!; wait"#
            return ["-c", program == "postgres" ? script : #"exec "$@""#, "sh"] + user + [programs + program]
                + arguments
        }

        func start() async throws {
            let options = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
            let arguments = ["-D", directory.path + "/data", "-p", "\(port)"] + options
            let shell = try ChildProcess("/bin/sh", Self.command("postgres", arguments), output: .pipe)
            guard let id = Int32(try shell.readLine()) else { throw Failure(description: "no postgres") }
            running.withLock { $0 = (shell, id) }
            try await wait("PostgreSQL") { (try? await query("SELECT 1")) == "1" }
        }

        func kill() {
            guard let (shell, _) = running.withLock({ $0.take() }) else { return }
            shell.closeInput()
            shell.waitUntilExit()
        }

        /// Sends a signal to the process that accepts connections.
        func signal(_ signal: Int32) { running.withLock { if let id = $0?.id { _ = LibC.kill(id, signal) } } }

        @discardableResult
        func query(_ statement: String) async throws -> String {
            try run(Self.programs + "psql", ["-XqAt", "-F", "\t", "-c", statement, credentialed])
        }

        private func run(_ program: String, _ arguments: [String]) throws -> String {
            let process = try ChildProcess(program, arguments, output: .pipe, errors: .pipe)
            process.closeInput()
            let text = try process.readToEnd().trimmingCharacters(in: .newlines)
            guard process.waitUntilExit() == 0 else { throw Failure(description: text) }
            return text
        }
    }
#endif
