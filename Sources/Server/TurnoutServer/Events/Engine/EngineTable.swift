import TurnoutEngine

/// The table of events in an engine. Other programs query it, so its columns keep their names and meanings.
package enum EngineTable {
    /// A column and the value that a row has in it.
    struct Column: Sendable {
        enum Content: Sendable {
            case text(@Sendable (EngineRow, EventRows) -> EventText)
            case byte(@Sendable (EngineRow) -> UInt8)
            case integer(@Sendable (EngineRow, EventRows) -> Int64)
            /// A hash: positive, with 63 bits.
            case hash(@Sendable (EngineRow) -> Int64)
            case double(@Sendable (EngineRow) -> Double)
            /// The name of the node that writes the row.
            case node
        }

        let name: String
        let content: Content

        init(_ name: String, _ content: Content) { (self.name, self.content) = (name, content) }
    }

    package static let name = "turnout_events"
    /// The version of the tables. A change of the columns gets a new one.
    package static let version = 1

    static let columns: [Column] = [
        Column("project", .text { $1.projectID.limited(to: 1_024) }),
        Column("kind", .byte { $0.kind.rawValue }),
        Column("subject", .text { row, _ in row.subject }),
        Column("visitor", .hash { $0.visitor }),
        Column("event", .hash { $0.key }),
        Column("occurred", .integer { row, _ in row.fields.timestamp }),
        Column("received", .integer { $1.receivedAt }),
        Column("visitor_id", .text { row, _ in row.visitorID }),
        Column("variation", .text { row, _ in row.arm.variation.limited(to: 256) }),
        Column("flag_key", .text { row, _ in row.arm.flagKey }),
        Column("rule_key", .text { row, _ in row.arm.ruleKey }),
        Column("rule_type", .text { row, _ in row.arm.ruleType }),
        Column("variation_key", .text { row, _ in row.arm.variationKey }),
        Column("enabled", .byte { $0.arm.isEnabled.map { $0 ? 1 : 0 } ?? 2 }),
        Column("revenue", .integer { row, _ in row.revenue ?? 0 }),
        Column("has_revenue", .byte { $0.revenue == nil ? 0 : 1 }),
        Column("value", .double { $0.value ?? 0 }),
        Column("has_value", .byte { $0.value == nil ? 0 : 1 }),
        Column("tags", .text { row, _ in row.tags }),
        Column("attributes", .text { row, _ in row.attributes }),
        Column("event_id", .text { row, _ in row.fields.entityID }),
        Column("uuid", .text { row, _ in row.fields.uuid }),
        Column("revision", .text { $1.revision.limited(to: 1_024) }),
        Column("client", .text { $1.clientName.limited(to: 128) }),
        Column("client_version", .text { $1.clientVersion.limited(to: 128) }),
        Column("account", .text { $1.accountID.limited(to: 1_024) }),
        Column("flags", .byte { $0.notes.rawValue }),
        Column("node", .node),
    ]

    /// The texts of a row by column, as JSON.
    static func json(_ row: EngineRow, of rows: EventRows) -> [UInt8] {
        var members: [String: JSONValue] = [:]
        for column in columns {
            guard case .text(let text) = column.content, let value = rows.string(text(row, rows)) else { continue }
            members[column.name] = .string(value)
        }
        return Array(JSONValue.object(members).compactText.utf8)
    }
}
