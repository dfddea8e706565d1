import Foundation
import TestProcesses

/// A redis-server with its own directory. It ends with the test, or with the process of the tests.
final class RedisServer: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }
    private struct PortIsTaken: Error, CustomStringConvertible { let description: String }

    private struct Running {
        // The server runs until the input of this shell ends.
        let shell: ChildProcess
        let id: Int32

        func end() {
            Foundation.kill(id, SIGKILL)
            shell.closeInput()
            shell.waitUntilExit()
        }
    }

    private let directory = TemporaryDirectory(isCreated: true)
    private let arguments: [String]
    private let running = Locked<Running?>(nil)
    let port: Int

    var socket: String { directory.path + "/s" }
    var address: String { "127.0.0.1:\(port)" }

    /// Starts a server with additional command-line arguments.
    convenience init(_ arguments: String...) async throws { try await self.init(all: arguments) }

    init(all arguments: [String]) async throws {
        let (port, all, running) = try await Self.start(arguments, in: directory)
        self.port = port
        self.arguments = all
        self.running.withLock { $0 = running }
    }

    /// Starts on a free port; tries another one if that is taken in the meantime.
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

    /// Debian's tools package has the server under another name; it acts by the name it is started with.
    private static func program(in directory: TemporaryDirectory) throws -> String {
        let link = directory.path + "/redis-server"
        for path in ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"]
        where FileManager.default.isExecutableFile(atPath: path) { return path }
        if !FileManager.default.fileExists(atPath: link) {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/usr/bin/redis-check-rdb")
        }
        return link
    }

    /// Restarts it on its port, with its files.
    func start() async throws {
        try await wait("the port") {
            // Another process may have taken the port temporarily.
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
        let script = #""$@" > /dev/null 2>&1 & echo $!; read line; kill -9 $!"#
        let shell = try ChildProcess(
            "/bin/sh", ["-c", script, "sh", try program(in: directory)] + arguments, output: .pipe)
        let line = try shell.readLine()
        guard let id = Int32(line) else { throw Failure(description: "no redis-server: \(line)") }
        let running = Running(shell: shell, id: id)
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

    /// Kills it at once, as a power failure would.
    func kill() { running.withLock { $0.take() }?.end() }

    /// Sends a signal, to suspend or resume it.
    func signal(_ signal: Int32) { running.withLock { if let id = $0?.id { _ = Foundation.kill(id, signal) } } }

    /// The output of redis-cli for a command; `input` is its last argument.
    @discardableResult func ask(_ command: String..., input: [UInt8]? = nil) throws -> String {
        try Self.cli(["-p", "\(port)"] + (input == nil ? [] : ["-x"]) + command, input: input)
    }

    static func cli(_ arguments: [String], input: [UInt8]? = nil) throws -> String {
        try ChildProcess.output(of: "redis-cli", arguments, input: Data(input ?? [])).trimmingCharacters(in: .newlines)
    }

    /// Options for this server, with a unique prefix and timeouts for a busy machine.
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

    /// An unused port below the system's ephemeral ports, so that the cluster bus port, which is higher by 10,000,
    /// is valid, too.
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

    private static func isFree(_ port: Int) -> Bool { (try? TestSocket.listening(on: port)) != nil }
}
