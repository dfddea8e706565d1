package import TurnoutClient

/// Keeps events in ClickHouse: on one server, or on several, of which each has all events of a part of the visitors.
package final class ClickHouseEngine: EventEngine {
    private static let insert =
        "INSERT INTO \(EngineTable.name) (\(EngineTable.columns.map(\.name).joined(separator: ", "))) FORMAT Native"
    private static let deletionTime = Duration.seconds(600)

    private let servers: [ClickHouseServer]
    private let node: String
    private let clock: any Clock<Duration>
    /// The settings of statements that write, for each server that was checked since its last failure.
    private let checked = Locked<[Int: [String: String]]>([:])

    /// Creates the engine; nil if an address has another form.
    ///
    /// - Parameters:
    ///   - addresses: The addresses of the servers, such as `https://user:password@host:8443/database`. Their number
    ///     and order decide which one has a visitor.
    ///   - node: The name of this server, for its rows.
    ///   - transport: Sends the requests.
    ///   - clock: Measures pauses. Default: the system's clock.
    package init?(
        _ addresses: [String], node: String, over transport: any Transport,
        clock: any Clock<Duration> = .continuous
    ) {
        servers = addresses.compactMap { ClickHouseServer($0, over: transport) }
        guard !servers.isEmpty, servers.count == addresses.count else { return nil }
        (self.node, self.clock) = (node, clock)
    }

    package var description: String { servers.map(\.address).joined(separator: ", ") }

    package var setupStatements: [String] {
        servers.indices.flatMap { server in
            var statements = statements(for: server)
            if servers.count > 1 { statements[0] = "-- \(servers[server].address)\n\(statements[0])" }
            return statements
        }
    }

    private func statements(for server: Int) -> [String] {
        ClickHouseSchema.statements(part: server + 1, of: servers.count)
    }

    package func setUp() async throws(EngineError) {
        for server in servers.indices {
            for statement in statements(for: server) { _ = try await servers[server].run(statement) }
        }
        try await check()
    }

    package func check() async throws(EngineError) {
        for server in servers.indices { _ = try await settings(of: server) }
    }

    package func write(_ batch: EngineBatch) async throws(EngineError) {
        guard servers.count > 1 else { return try await write(batch, to: 0) }
        for shard in servers.indices {
            let rows = batch.filtered { $0.visitor % Int64(servers.count) == Int64(shard) }
            if rows.count > 0 { try await write(rows, to: shard) }
        }
    }

    private func write(_ batch: EngineBatch, to shard: Int) async throws(EngineError) {
        let settings = try await settings(of: shard)
        do {
            let block = NativeBlock(batch, node: node)
            _ = try await servers[shard].run(Self.insert, data: block.bytes, settings: settings)
        } catch {
            // Perhaps it is replaced by one of another version.
            checked.withLock { $0[shard] = nil }
            throw error
        }
    }

    /// Checks the tables of a server.
    ///
    /// - Returns: The settings of statements that write. A server refuses those that it does not know.
    private func settings(of shard: Int) async throws(EngineError) -> [String: String] {
        if let settings = checked.withLock({ $0[shard] }) { return settings }
        let server = servers[shard]
        let version = try await server.run("SELECT max(version) FROM turnout_schema").text
        guard version == "\(EngineTable.version)" else {
            throw .failed(
                "\(server.address): its tables have the version \(version), but this server writes "
                    + "\(EngineTable.version): run turnout engine setup of the same version as the server")
        }
        // With visitors elsewhere, their events would count twice.
        let part = try await server.run("SELECT min(part), max(part), min(parts), max(parts) FROM turnout_part").text
        guard part == "\(shard + 1)\t\(shard + 1)\t\(servers.count)\t\(servers.count)" else {
            throw .failed(
                "\(server.address): it was set up for another part of the visitors: name the same servers, each once, "
                    + "and in the same order as in turnout engine setup")
        }
        let known = try await server.run("SELECT count() FROM system.settings WHERE name = 'async_insert'").text
        // Otherwise new versions acknowledge rows that are not stored.
        let settings = known == "1" ? ["async_insert": "0"] : [:]
        checked.withLock { $0[shard] = settings }
        return settings
    }

    package func result(of query: EngineQuery) async throws(EngineError) -> EngineResult {
        var result = EngineResult()
        let uptime = clock.stopwatch()
        for (shard, server) in servers.enumerated() {
            // A server with another part of the visitors, or tables of another version, would give wrong numbers.
            _ = try await settings(of: shard)
            let response = try await server.run(
                ClickHouseQuery(query).text + " FORMAT Native", deadline: max(.zero, query.limit - uptime()),
                maximumResponseSize: query.hasOneRow ? 1 << 20 : 2 << 30)
            guard let part = EngineResult(native: response, query.kinds), part.count == 1 || !query.hasOneRow else {
                throw .failed("\(server.address): the answer to a query cannot be read")
            }
            result.append(part)
        }
        return result
    }

    package func forget(_ users: [String]) async throws(EngineError) {
        let list = users.map(ClickHouseSchema.literal).joined(separator: ", ")
        for server in servers {
            _ = try await server.run("ALTER TABLE \(EngineTable.name) DELETE WHERE visitor_id IN (\(list))")
        }
        for server in servers { try await waitForDeletions(server) }
    }

    private func waitForDeletions(_ server: ClickHouseServer) async throws(EngineError) {
        let uptime = clock.stopwatch()
        let pending = """
            SELECT count() FROM system.mutations
            WHERE database = currentDatabase() AND table = '\(EngineTable.name)' AND NOT is_done
            """
        while try await server.run(pending).text != "0" {
            guard !Task.isCancelled, uptime() < Self.deletionTime else {
                throw .failed("\(server.address) was asked to delete rows, and has not finished: ask again later")
            }
            try? await clock.sleep(for: .milliseconds(200), tolerance: nil)
        }
    }
}

extension [UInt8] {
    /// The response to a query with one value.
    fileprivate var text: String { String(decoding: prefix { $0 != 0x0A }, as: UTF8.self) }
}
