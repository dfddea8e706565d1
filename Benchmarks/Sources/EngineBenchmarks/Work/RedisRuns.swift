import Foundation
import TurnoutClient
import TurnoutRedis

/// A redis-server process.
struct RedisRuns {
    private let folder: ScratchFolder
    private let process: ServerProcess
    private let port: UInt16
    private let cli: String
    /// A store in it, with the hash layout.
    let store: RedisProfileStore

    /// Starts a server without persistence; nil if Redis is not installed.
    init?() throws {
        folder = try ScratchFolder()
        guard let cli = ServerProcess.program("redis-cli") else { return nil }
        var program = ServerProcess.program("redis-server")
        if program == nil, let tool = ServerProcess.program("redis-check-rdb") {
            // Debian's tools package has the server under another name; it acts by the name it is started with.
            program = folder.path("redis-server")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("redis-server"), withDestinationPath: tool)
        }
        guard let program else { return nil }
        self.cli = cli
        port = try ServerProcess.freePort()
        process = try ServerProcess(
            program,
            [
                "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
                folder.path("."), "--logfile", folder.path("log"),
            ])
        store = try RedisProfileStore(RedisOptions(servers: .one(.host("127.0.0.1", port: Int(port)))))
        try process.waitUntilReady { [store] in _ = try store.profile(of: "unknown") }
    }

    /// The memory growth of the server per user with one assignment, or nil if it does not report it.
    func bytesPerUser(of users: Int) throws -> Double? {
        _ = try ask("FLUSHALL", "SYNC")
        let before = try usedMemory()
        try inParallel(2) { [store] part in
            for number in stride(from: part, to: users, by: 2) {
                try store.save(["10420810910": "10418551353"], for: "user_\(number)")
            }
        }
        let after = try usedMemory()
        _ = try ask("FLUSHALL", "SYNC")
        guard let before, let after else { return nil }
        return (after - before) / Double(users)
    }

    private func usedMemory() throws -> Double? {
        try ask("INFO", "memory").split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") }
            .flatMap { Double($0.dropFirst("used_memory:".count)) }
    }

    private func ask(_ command: String...) throws -> String {
        let file = folder.path("answer")
        var streams = ChildProcess.Streams()
        streams.output = file
        _ = try ChildProcess.run(cli, ["-p", "\(port)"] + command, streams: streams)
        return try String(contentsOfFile: file, encoding: .utf8)
    }
}
