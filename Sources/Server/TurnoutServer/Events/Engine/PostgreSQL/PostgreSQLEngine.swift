#if PostgreSQL
    import CPostgreSQL
    import TurnoutClient

    /// Keeps events in PostgreSQL, on one server. The primary key drops copies of an event when they are written.
    package final class PostgreSQLEngine: EventEngine {
        private static let deletionTime = Duration.seconds(600)
        /// The parameters of libpq that an address may not have behind `?`.
        private static let hidden: Set = [
            "password", "passfile", "user", "host", "hostaddr", "port", "dbname", "options", "service",
        ]
        /// The tables of a batch are small, those of a query are not; results do not depend on these settings.
        private static let settings = """
            SET client_encoding = 'UTF8'; SET standard_conforming_strings = on; SET jit = off; SET work_mem = '64MB'
            """

        package let description: String
        private let address: String
        private let node: String
        private let writingTime: Duration
        private let (writers, readers) = (BoundedCalls(limit: 2), BoundedCalls(limit: 8))
        /// The connections that no call has.
        private let idle = Locked<[PostgreSQLConnection]>([])

        /// Creates the engine; nil if the address has another form.
        ///
        /// - Parameters:
        ///   - address: The address, such as `postgresql://user:password@host:5432/database`, with parameters of libpq.
        ///   - node: The name of this server, for its rows.
        ///   - writingTime: The longest time to connect, and to write a batch. Default: 30 seconds.
        package init?(_ address: String, node: String, writingTime: Duration = .seconds(30)) {
            guard let scheme = address.firstRange(of: "://"), let options = PQconninfoParse(address, nil) else {
                return nil
            }
            PQconninfoFree(options)
            let place = address[scheme.upperBound...]
            let authority = place.prefix { $0 != "/" && $0 != "?" }
            let rest = place[authority.endIndex...]
            // A password there would be shown in messages, and another place would not be.
            let parameters = rest.split(separator: "?").dropFirst().joined().split(separator: "&")
            let names = parameters.map { $0.prefix { $0 != "=" }.percentDecoded() }
            guard !rest.contains("@"), Self.hidden.isDisjoint(with: names) else { return nil }
            let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
            description = "postgresql://\(host)\(rest.prefix { $0 != "?" })"
            (self.address, self.node, self.writingTime) = (address, node, writingTime)
        }

        package var setupStatements: [String] { PostgreSQLSchema.statements }

        package func setUp() async throws(EngineError) {
            let statements = setupStatements.joined(separator: ";\n")
            try await call(on: writers) { () throws(EngineError) in
                try PostgreSQLConnection(self.address, self.description, within: self.writingTime)
                    .run(statements, within: Self.deletionTime)
            }
        }

        package func check() async throws(EngineError) { try await use(writers) { _ in } }

        package func write(_ batch: EngineBatch) async throws(EngineError) {
            try await use(writers) { connection throws(EngineError) in
                let data = PostgreSQLRows(batch, node: self.node).bytes
                try connection.run(PostgreSQLSchema.insertion, within: self.writingTime, data: data)
            }
        }

        package func result(of query: EngineQuery) async throws(EngineError) -> EngineResult {
            try await use(readers, within: min(writingTime, query.limit)) { connection throws(EngineError) in
                try self.result(of: PostgreSQLQuery(query).text, query.kinds, within: query.limit, connection)
            }
        }

        package func forget(_ users: [String]) async throws(EngineError) {
            let list = users.map(PostgreSQLSchema.literal).joined(separator: ", ")
            try await use(writers) { connection throws(EngineError) in
                try connection.run(
                    "DELETE FROM \(EngineTable.name) WHERE visitor_id IN (\(list))", within: Self.deletionTime)
            }
        }

        private func result(
            of query: String, _ kinds: [EngineResult.Kind], within limit: Duration, _ connection: PostgreSQLConnection
        ) throws(EngineError) -> EngineResult {
            var reader = PostgreSQLReader(kinds)
            try connection.run("COPY (\(query)) TO STDOUT (FORMAT binary)", within: limit) {
                reader.append($0)
            }
            guard let result = reader.result else {
                throw .failed("\(description): the answer to a query cannot be read")
            }
            return result
        }

        // MARK: Connections

        /// Calls a function on a thread with a connection, which is closed if the function throws. The limit is for
        /// connecting; nil stands for ``writingTime``.
        private func use<Value: Sendable>(
            _ threads: BoundedCalls, within limit: Duration? = nil,
            _ body: @escaping @Sendable (PostgreSQLConnection) throws(EngineError) -> Value
        ) async throws(EngineError) -> Value {
            try await call(on: threads) { () throws(EngineError) in
                let earlier = self.idle.withLock { $0.popLast() }
                do throws(EngineError) {
                    let connection =
                        if let earlier, earlier.isQuiet { earlier } else {
                            try self.connect(within: limit ?? self.writingTime)
                        }
                    let value = try body(connection)
                    self.idle.withLock { $0.append(connection) }
                    return value
                } catch {
                    // Perhaps the tables are replaced by those of another version.
                    self.idle.withLock { $0 = [] }
                    throw error
                }
            }
        }

        /// Connects and checks the tables.
        private func connect(within limit: Duration) throws(EngineError) -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(address, description, within: limit)
            try connection.run(Self.settings, within: limit)
            let versions = try result(of: PostgreSQLQuery.version, [.integer], within: limit, connection)
            let version = versions.blocks.first?.integers(0).first ?? 0
            guard version == EngineTable.version else {
                throw .failed(
                    "\(description): its tables have the version \(version), but this server writes "
                        + "\(EngineTable.version): run turnout engine setup of the same version as the server")
            }
            return connection
        }

        /// The value of a call on a thread. A canceled task does not wait for it.
        private func call<Value: Sendable>(
            on threads: BoundedCalls, _ body: @escaping @Sendable () throws(EngineError) -> Value
        ) async throws(EngineError) -> Value {
            let end = OneShot<Result<Value, EngineError>>()
            _ = threads.start { end.end(Result { () throws(EngineError) in try body() }) }
            let result = await withTaskCancellationHandler {
                await end.value()
            } onCancel: {
                end.end(nil)
            }
            guard let result else { throw .failed("\(description): canceled") }
            return try result.get()
        }
    }
#endif
