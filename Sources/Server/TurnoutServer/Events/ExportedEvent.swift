package import TurnoutEngine

/// A processed event with all its members, for export.
package struct ExportedEvent: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A visitor saw a variation.
        case exposure
        /// A visitor did what an experiment measures.
        case conversion
    }

    package enum Value: Sendable, Equatable {
        case text(String?)
        case integer(Int64?)
        case number(Double?)
        case bool(Bool?)
        /// A value that is JSON already.
        case json(String?)
    }

    /// The names of the members, in their order; the same for all kinds.
    package static let names = [
        "kind", "time", "timestamp", "received", "project_id", "visitor_id", "uuid", "campaign_id", "experiment_id",
        "variation_id", "flag_key", "rule_key", "rule_type", "variation_key", "enabled", "event_id", "event_key",
        "revenue", "value", "tags", "attributes", "account_id", "revision", "client_name", "client_version",
        "time_corrected",
    ]

    /// The values, in the order of ``names``.
    package let values: [Value]

    package init(values: [Value]) { self.values = values }

    /// Writes the event as an object. Members without a value are left out.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in zip(Self.names, values) where !value.isMissing {
            writer.key(name)
            switch value {
            case .text(let text): writer.string(text)
            case .integer(let number): writer.integer(number ?? 0)
            case .number(let number): writer.double(number ?? 0)
            case .bool(let isTrue): writer.bool(isTrue ?? false)
            case .json(let text): writer.raw(text.map(Self.inOneLine) ?? "null")
            }
        }
        writer.endObject()
        writer.newline()
    }

    /// JSON without line breaks, which a client may have written between its values: each event is a line.
    private static func inOneLine(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return json }
        return String(decoding: json.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }

    /// The first line of a table of comma-separated values (RFC 4180).
    package static var csvHeader: String { names.joined(separator: ",") + "\r\n" }

    /// The event as a line of comma-separated values. Members without a value are empty.
    ///
    /// Texts that a spreadsheet would compute start with an apostrophe: visitors' ids and tags come from outside.
    package var csv: String { values.map(\.csv).joined(separator: ",") + "\r\n" }
}

extension ExportedEvent.Value {
    fileprivate var isMissing: Bool {
        switch self {
        case .text(let value), .json(let value): value == nil
        case .integer(let value): value == nil
        case .number(let value): value == nil
        case .bool(let value): value == nil
        }
    }

    fileprivate var csv: String {
        switch self {
        case .text(let text), .json(let text): Self.quoted(text ?? "")
        case .integer(let number): number.map(String.init) ?? ""
        case .number(let number): number.map { "\($0)" } ?? ""
        case .bool(let isTrue): isTrue.map { $0 ? "true" : "false" } ?? ""
        }
    }

    private static func quoted(_ text: String) -> String {
        var text = text
        if let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) { text = "'" + text }
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
