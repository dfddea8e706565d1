/// Requests about rows and the schema.
extension ServerState {
    private enum ResultKind {
        static let void = 1
        static let rows = 2
        static let keyspace = 3
        static let prepared = 4
        static let schemaChange = 5
    }

    mutating func answerStatement(
        _ opcode: Opcode, _ reader: inout FrameReader, _ session: inout Session, to writer: inout FrameWriter
    ) throws(CQLError) -> Delivery {
        writer.setOpcode(.result)
        switch opcode {
        case .prepare:
            counts[session.node].preparations += 1
            let (id, plan) = try prepare(try reader.longString(), keyspace: session.keyspace, node: session.node)
            writePrepared(id, plan, to: &writer)
            return delayed(session)
        case .batch: return try runBatch(&reader, session, to: &writer)
        case .execute:
            let bytes = try reader.shortBytes()
            guard let id = PreparedID(bytes), let plan = prepared[session.node][id] else { throw .unprepared(bytes) }
            let parameters = try RequestParameters(&reader)
            return try run(plan, parameters, &session, to: &writer)
        default:
            let plan = try plan(try reader.longString(), keyspace: session.keyspace)
            let parameters = try RequestParameters(&reader)
            return try run(plan, parameters, &session, to: &writer)
        }
    }

    func delayed(_ session: Session) -> Delivery {
        let delay = faults.delay(of: session.node)
        return delay > 0 ? .later(delay) : .now
    }

    private mutating func run(
        _ plan: Plan, _ parameters: RequestParameters, _ session: inout Session, to writer: inout FrameWriter
    ) throws(CQLError) -> Delivery {
        let values = try parameters.bound(to: plan)
        switch plan.action {
        case .use(let keyspace):
            session.keyspace = keyspace
            writer.int(ResultKind.keyspace)
            writer.string(keyspace)
            return .now
        case .system(let select):
            let page = try systemPage(select, values, node: session.node)
            write(page, plan, parameters, to: &writer)
            return .now
        case .definition(let statement):
            guard let change = try define(statement, keyspace: session.keyspace) else {
                writer.int(ResultKind.void)
                return .now
            }
            writer.int(ResultKind.schemaChange)
            change.write(to: &writer)
            return .now
        case .read(let read):
            return try run(read, plan, values, parameters, session, to: &writer)
        case .write(let write):
            counts[session.node].statements[plan.text, default: 0] += 1
            let writes = try write.writes(values, timestamp: parameters.timestamp ?? now)
            return try apply([(write, writes)], type: "SIMPLE", parameters, session, to: &writer)
        }
    }

    // MARK: - Reads

    private mutating func run(
        _ read: ReadPlan, _ plan: Plan, _ values: [BoundValue], _ parameters: RequestParameters, _ session: Session,
        to writer: inout FrameWriter
    ) throws(CQLError) -> Delivery {
        counts[session.node].count(isWrite: false)
        counts[session.node].statements[plan.text, default: 0] += 1
        let fault = faults.next(node: session.node, isWrite: false)
        if let error = try error(of: fault, read.table, "SIMPLE", parameters, session) { throw error }
        let tokens = try Reading.positions(read.keys, values, in: read.table).map(\.token)
        for token in read.keys.isEmpty ? [0] : tokens {
            try checkReplicas(of: token, in: read.table, parameters.consistency, session)
        }
        var reading = try Reading(
            read, values: values, pageSize: parameters.pageSize, start: parameters.pagingState,
            second: now / 1_000_000)
        guard let page = try database.read(&reading, from: read.tableIndex) else {
            throw .invalid("unconfigured table \(read.table.name)")
        }
        write(page, plan, parameters, to: &writer)
        return delivery(fault, session)
    }

    private func write(
        _ page: ResultPage, _ plan: Plan, _ parameters: RequestParameters, to writer: inout FrameWriter
    ) {
        writer.int(ResultKind.rows)
        writer.columns(
            plan.columns, of: plan.table, hasMetadata: !parameters.skipsMetadata, pagingState: page.next?.bytes)
        writer.int(page.count)
        writer.raw(page.rows.bytes)
    }

    private func writePrepared(_ id: PreparedID, _ plan: Plan, to writer: inout FrameWriter) {
        writer.int(ResultKind.prepared)
        writer.shortBytes(id.bytes)
        let isGlobal = !plan.markers.isEmpty
        writer.int(isGlobal ? 1 : 0)
        writer.int(plan.markers.count)
        writer.int(plan.keyMarkers.count)
        for marker in plan.keyMarkers { writer.short(marker) }
        if isGlobal { writer.specifications(plan.markers, of: plan.table) }
        writer.columns(plan.columns, of: plan.table, hasMetadata: !plan.columns.isEmpty, pagingState: nil)
    }

    // MARK: - Writes

    private mutating func runBatch(
        _ reader: inout FrameReader, _ session: Session, to writer: inout FrameWriter
    ) throws(CQLError) -> Delivery {
        let types = ["BATCH", "UNLOGGED_BATCH", "COUNTER"]
        let type = Int(try reader.byte())
        guard type < 2 else { throw .invalid("this server has no batches of the type \(type)") }
        var statements: [(plan: Plan, values: [BoundValue])] = []
        for _ in 0..<(try reader.short()) {
            let plan: Plan
            if try reader.byte() == 0 {
                plan = try self.plan(try reader.longString(), keyspace: session.keyspace)
            } else {
                let bytes = try reader.shortBytes()
                guard let id = PreparedID(bytes), let found = prepared[session.node][id] else {
                    throw .unprepared(bytes)
                }
                plan = found
            }
            var values: [BoundValue] = []
            for _ in 0..<(try reader.short()) { values.append(try reader.value()) }
            statements.append((plan, values))
        }
        let parameters = try RequestParameters(ofBatch: &reader)
        var changes: [(WritePlan, [RowWrite])] = []
        // One timestamp for all, so that the batch is one change.
        let timestamp = parameters.timestamp ?? now
        for (plan, values) in statements {
            guard case .write(let write) = plan.action else { throw .invalid("a batch has only changes of rows") }
            guard values.count == plan.markers.count else {
                throw .invalid("there are \(values.count) values for \(plan.markers.count) markers")
            }
            counts[session.node].statements[plan.text, default: 0] += 1
            changes.append((write, try write.writes(values, timestamp: timestamp)))
        }
        return try apply(changes, type: types[type], parameters, session, to: &writer)
    }

    private mutating func apply(
        _ changes: [(plan: WritePlan, rows: [RowWrite])], type: String, _ parameters: RequestParameters,
        _ session: Session, to writer: inout FrameWriter
    ) throws(CQLError) -> Delivery {
        counts[session.node].count(isWrite: true)
        let fault = faults.next(node: session.node, isWrite: true)
        let error = try changes.first.flatMap { change throws(CQLError) in
            try self.error(of: fault, change.plan.table, type, parameters, session)
        }
        for (plan, rows) in changes {
            for row in rows {
                let token = Murmur3Partitioner.token(of: plan.table.partitionBytes(row.partition))
                try checkReplicas(of: token, in: plan.table, parameters.consistency, session)
            }
        }
        if fault.map(Self.isApplied) ?? true {
            let second = now / 1_000_000
            for (plan, rows) in changes {
                for row in rows { database.write(row, to: plan.tableIndex, at: second) }
            }
        }
        if let error { throw error }
        writer.int(ResultKind.void)
        return delivery(fault, session)
    }

    // MARK: - Faults

    private static func isApplied(_ fault: Fault) -> Bool {
        switch fault {
        case .writeTimeout(let isApplied), .silence(let isApplied): isApplied
        case .disconnection: true
        default: false
        }
    }

    private func delivery(_ fault: Fault?, _ session: Session) -> Delivery {
        switch fault {
        case .silence: .never
        case .disconnection: .half
        default: delayed(session)
        }
    }

    private func checkReplicas(
        of token: Int64, in table: Table, _ consistency: Consistency, _ session: Session
    ) throws(CQLError) {
        guard let keyspace = database.keyspaces[table.keyspace] else { return }
        let required = ring.required(consistency, in: keyspace, coordinator: session.node)
        let alive = ring.alive(consistency, token: token, in: keyspace, coordinator: session.node)
        guard alive >= required else { throw .unavailable(consistency, required: required, alive: alive) }
    }

    private func error(
        of fault: Fault?, _ table: Table, _ type: String, _ parameters: RequestParameters, _ session: Session
    ) throws(CQLError) -> CQLError? {
        guard let fault, let keyspace = database.keyspaces[table.keyspace] else { return nil }
        let level = parameters.consistency
        let required = ring.required(level, in: keyspace, coordinator: session.node)
        return fault.error(level, required: required, type: type, table: table.name)
    }
}

extension Fault {
    /// The error that is sent; nil if none is.
    func error(_ level: Consistency, required: Int, type: String, table: String) -> CQLError? {
        let (received, text) = (required - 1, "\(required - 1) of \(required) replicas answered")
        switch self {
        case .unavailable: return .unavailable(level, required: required, alive: required - 1)
        case .writeTimeout:
            return CQLError(
                code: 0x1100, message: text,
                details: .writeTimeout(level, received: received, required: required, type: type))
        case .readTimeout:
            return CQLError(
                code: 0x1200, message: text,
                details: .readTimeout(level, received: received, required: required, hasData: received > 0))
        case .writeFailure:
            return CQLError(
                code: 0x1500, message: text,
                details: .writeFailure(level, received: received, required: required, type: type))
        case .readFailure:
            return CQLError(
                code: 0x1300, message: text,
                details: .readFailure(level, received: received, required: required, hasData: false))
        case .overloaded: return .overloaded
        case .bootstrapping: return .bootstrapping
        case .serverError: return .serverError("a fault for tests, with s3cret texts")
        case .invalid: return .invalid("a fault for tests")
        case .syntax: return .syntax("a fault for tests")
        case .unauthorized: return .unauthorized("the user may not use the table \(table)")
        case .unconfiguredTable: return .invalid("unconfigured table \(table)")
        case .silence, .disconnection: return nil
        }
    }
}
