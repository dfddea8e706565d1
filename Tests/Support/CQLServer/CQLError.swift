/// An error that the server sends.
struct CQLError: Error, Equatable {
    /// What follows the message.
    enum Details: Equatable {
        case none
        case unavailable(Consistency, required: Int, alive: Int)
        case writeTimeout(Consistency, received: Int, required: Int, type: String)
        case readTimeout(Consistency, received: Int, required: Int, hasData: Bool)
        case writeFailure(Consistency, received: Int, required: Int, type: String)
        case readFailure(Consistency, received: Int, required: Int, hasData: Bool)
        case alreadyExists(keyspace: String, table: String)
        case unprepared([UInt8])
    }

    let code: Int
    let message: String
    var details = Details.none

    static func serverError(_ message: String) -> CQLError { CQLError(code: 0x0000, message: message) }
    static func protocolError(_ message: String) -> CQLError { CQLError(code: 0x000A, message: message) }
    static func badCredentials(_ message: String) -> CQLError { CQLError(code: 0x0100, message: message) }
    static let overloaded = CQLError(code: 0x1001, message: "the node is overloaded")
    static let bootstrapping = CQLError(code: 0x1002, message: "the node is bootstrapping")
    static func syntax(_ message: String) -> CQLError { CQLError(code: 0x2000, message: message) }
    static func unauthorized(_ message: String) -> CQLError { CQLError(code: 0x2100, message: message) }
    static func invalid(_ message: String) -> CQLError { CQLError(code: 0x2200, message: message) }

    static func unavailable(_ consistency: Consistency, required: Int, alive: Int) -> CQLError {
        CQLError(
            code: 0x1000, message: "too few replicas are alive for this consistency",
            details: .unavailable(consistency, required: required, alive: alive))
    }

    static func alreadyExists(keyspace: String, table: String) -> CQLError {
        CQLError(
            code: 0x2400, message: "\(table.isEmpty ? keyspace : keyspace + "." + table) exists already",
            details: .alreadyExists(keyspace: keyspace, table: table))
    }

    static func unprepared(_ id: [UInt8]) -> CQLError {
        CQLError(code: 0x2500, message: "the statement is not prepared on this node", details: .unprepared(id))
    }

    func write(to writer: inout FrameWriter) {
        writer.int(code)
        writer.string(message)
        switch details {
        case .none: break
        case .unavailable(let consistency, let required, let alive):
            writer.short(Int(consistency.rawValue))
            writer.int(required)
            writer.int(alive)
        case .writeTimeout(let consistency, let received, let required, let type):
            Self.write(consistency, received, required, to: &writer)
            writer.string(type)
        case .readTimeout(let consistency, let received, let required, let hasData):
            Self.write(consistency, received, required, to: &writer)
            writer.byte(hasData ? 1 : 0)
        case .writeFailure(let consistency, let received, let required, let type):
            Self.write(consistency, received, required, failures: 1, to: &writer)
            writer.string(type)
        case .readFailure(let consistency, let received, let required, let hasData):
            Self.write(consistency, received, required, failures: 1, to: &writer)
            writer.byte(hasData ? 1 : 0)
        case .alreadyExists(let keyspace, let table):
            writer.string(keyspace)
            writer.string(table)
        case .unprepared(let id): writer.shortBytes(id)
        }
    }

    private static func write(
        _ consistency: Consistency, _ received: Int, _ required: Int, failures: Int? = nil,
        to writer: inout FrameWriter
    ) {
        writer.short(Int(consistency.rawValue))
        writer.int(received)
        writer.int(required)
        if let failures { writer.int(failures) }
    }
}
