#if Redis
    import Foundation
    import TestSupport
    import TurnoutClient
    import TurnoutRedis

    /// A redis-server of a test's own, in a directory of its own. It ends with the test, or with the tests' process.
    final class RedisServer: Sendable {
        struct Failure: Error, CustomStringConvertible { let description: String }
        private struct PortIsTaken: Error, CustomStringConvertible { let description: String }

        private struct Running {
            let shell: Process
            // As long as it is open, the server runs.
            let input: FileHandle
            let id: Int32

            func end() {
                Foundation.kill(id, SIGKILL)
                try? input.close()
                shell.waitUntilExit()
            }
        }

        private let directory = TemporaryDirectory()
        private let arguments: [String]
        private let running = Locked<Running?>(nil)
        let port: Int

        var socket: String { directory.path + "/s" }
        var address: String { "127.0.0.1:\(port)" }

        /// Starts a server with more options on its command line.
        init(_ arguments: String...) async throws {
            try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
            let (port, all, running) = try await Self.start(arguments, in: directory)
            self.port = port
            self.arguments = all
            self.running.withLock { $0 = running }
        }

        /// Starts on a port that is free, and on another one if somebody was faster.
        private static func start(
            _ arguments: [String], in directory: TemporaryDirectory
        ) async throws -> (port: Int, arguments: [String], running: Running) {
            var failure: PortIsTaken?
            for _ in 0..<20 {
                let port = try FreePort.next()
                let all =
                    [
                        "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", directory.path + "/s", "--dir",
                        directory.path, "--logfile", directory.path + "/log", "--save", "", "--appendfsync", "always",
                    ] + arguments
                do { return (port, all, try await launch(all, in: directory)) } catch let error as PortIsTaken {
                    failure = error
                }
            }
            throw failure ?? PortIsTaken(description: "no free port")
        }

        deinit { kill() }

        /// Debian's package of tools has the whole server under another name; it does what it is called.
        private static func program(in directory: TemporaryDirectory) throws -> String {
            let link = directory.path + "/redis-server"
            for path in ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"]
            where FileManager.default.isExecutableFile(atPath: path) {
                return path
            }
            if !FileManager.default.fileExists(atPath: link) {
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: "/usr/bin/redis-check-rdb")
            }
            return link
        }

        /// Starts it again on its port, with what is in its files.
        func start() async throws {
            try await wait("the port") {
                // Whom the system gave it to meanwhile may not have it for long.
                do {
                    let running = try await Self.launch(arguments, in: directory)
                    self.running.withLock { $0 = running }
                    return true
                } catch is PortIsTaken { return false }
            }
        }

        private static func launch(_ arguments: [String], in directory: TemporaryDirectory) async throws -> Running {
            let log = directory.path + "/log"
            try? FileManager.default.removeItem(atPath: log)
            let (shell, input, output) = (Process(), Pipe(), Pipe())
            shell.executableURL = URL(filePath: "/bin/sh")
            let script = #""$@" > /dev/null 2>&1 & echo $!; read line; kill -9 $!"#
            shell.arguments = ["-c", script, "sh", try program(in: directory)] + arguments
            shell.standardInput = input
            shell.standardOutput = output
            try shell.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let id = Int32(line.filter(\.isNumber)) else {
                throw Failure(description: "no redis-server: \(line)")
            }
            let running = Running(shell: shell, input: input.fileHandleForWriting, id: id)
            do {
                try await wait("a server that is ready") {
                    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                    guard !text.contains("Failed listening") else { throw PortIsTaken(description: text) }
                    return text.contains("Ready to accept connections")
                }
            } catch {
                running.end()
                throw error
            }
            return running
        }

        /// Ends it at once, as a power failure would.
        func kill() { running.withLock { $0.take() }?.end() }

        /// Lets it stand still, or go on.
        func signal(_ signal: Int32) { running.withLock { if let id = $0?.id { _ = Foundation.kill(id, signal) } } }

        /// What redis-cli prints for a command; `input` is its last argument.
        @discardableResult
        func ask(_ command: String..., input: [UInt8]? = nil) throws -> String {
            try Self.cli(["-p", "\(port)"] + (input == nil ? [] : ["-x"]) + command, input: input)
        }

        static func cli(_ arguments: [String], input: [UInt8]? = nil) throws -> String {
            let (process, standardInput, output) = (Process(), Pipe(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["redis-cli"] + arguments
            process.standardInput = standardInput
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            try standardInput.fileHandleForWriting.write(contentsOf: Data(input ?? []))
            try standardInput.fileHandleForWriting.close()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        }

        /// Options for it, with a prefix that nobody used so far and time for a busy machine.
        var options: RedisOptions {
            var options = RedisOptions(servers: .one(.host("127.0.0.1", port: port)))
            options.prefix = UUID().uuidString + ":"
            options.timeout = .seconds(60)
            options.connectTimeout = .seconds(60)
            return options
        }
    }

    enum FreePort {
        private static let candidate = Locked(Int.random(in: 11_000..<30_000))

        /// A port on which nobody listens, below those that the system gives away, so that a cluster's second port for
        /// each server, 10,000 above, exists.
        static func next() throws -> Int {
            for _ in 0..<1_000 {
                let port = candidate.withLock { port in
                    port = port < 30_000 ? port + 1 : 11_000
                    return port
                }
                if isFree(port), isFree(port + 10_000) { return port }
            }
            throw RedisServer.Failure(description: "no free port")
        }

        private static func isFree(_ port: Int) -> Bool {
            guard let socket = try? ListeningSocket(port: UInt16(port)) else { return false }
            socket.close()
            return true
        }
    }
#endif
