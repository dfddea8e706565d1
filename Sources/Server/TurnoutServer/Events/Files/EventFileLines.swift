import TurnoutEngine

/// The events of a part of the log as lines of JSON, by kind and UTC day.
///
/// Each line has all columns of its kind in the same order, with null for what is missing: any line shows a reader
/// of files the whole table.
struct EventFileLines {
    private struct File {
        var lines = JSONWriter()
        /// The lines before them.
        var compressed: [UInt8] = []

        mutating func compress() throws(EventLogError) {
            guard let bytes = Zlib().gzip(lines.bytes) else { throw .disk("no memory is left to compress events") }
            compressed += bytes
            lines.removeAll()
        }
    }

    /// Longer attributes and tags are left out: a small request could repeat them in thousands of lines.
    private static let maximumJSONLength = 8 << 10

    private var files: [String: File] = [:]
    /// The number of all lines, and of their bytes.
    private(set) var (count, size) = (0, 0)
    private let limit: Int

    /// Creates an empty part. The lines of a file are compressed in pieces of about `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// Adds the events of a body, in the order in which the server processes them.
    mutating func add(_ record: EventLogRecord) throws(EventLogError) {
        let rows = EventBatchParser().rows(of: record)
        var position = record.offset
        for row in rows.exposures {
            let arm = row.arm
            let texts = [
                ("experiment_id", arm.experiment), ("variation_id", arm.variation), ("flag_key", arm.flagKey),
                ("rule_key", arm.ruleKey), ("rule_type", arm.ruleType), ("variation_key", arm.variationKey),
            ]
            try add("exposures", row, of: rows, at: &position) { writer in
                for (name, text) in texts { writer.member(name, rows.string(text)) }
            }
        }
        for row in rows.conversions {
            try add("conversions", row, of: rows, at: &position) { writer in
                writer.member("event_key", rows.string(row.event.eventKey))
                writer.member("revenue", row.revenue.map { .integer($0) } ?? .null)
                writer.member("value", row.value.map { .double($0) } ?? .null)
                writer.member("tags", Self.json(row.tags, of: rows) ?? .null)
            }
        }
    }

    private mutating func add(
        _ kind: String, _ row: some EventRow, of rows: EventRows, at position: inout Int64,
        _ writeColumns: (inout JSONWriter) -> Void
    ) throws(EventLogError) {
        let time = Timestamp.text(row.event.timestamp)
        let place = "\(kind)/\(time.prefix(10))"
        var file = files.removeValue(forKey: place) ?? File()
        let before = file.lines.count
        file.lines.object { writer in
            writer.member("user_id", rows.string(row.visitorID))
            writer.member("timestamp", time)
            writeColumns(&writer)
            writer.member("attributes", Self.attributes(row, of: rows))
            for (name, text) in [
                ("uuid", row.event.uuid), ("project_id", rows.projectID), ("revision", rows.revision),
                ("client_name", rows.clientName), ("client_version", rows.clientVersion),
            ] { writer.member(name, text.count <= EventBatchParser.maximumTextLength ? rows.string(text) : nil) }
            writer.member("received", Timestamp.text(rows.receivedAt))
            writer.member("time_corrected", row.event.corrections.contains(.timestamp))
            // The day, because duplicates are found among the events of a day.
            writer.member("dedup_key", "\(row.event.day)-\(row.key)")
            writer.member("log_position", .integer(position))
        }
        file.lines.newline()
        size += file.lines.count - before
        (position, count) = (position + 1, count + 1)
        if file.lines.count >= limit { try file.compress() }
        files[place] = file
    }

    /// The attributes by key, of which the first of several wins.
    private static func attributes(_ row: some EventRow, of rows: EventRows) -> JSONValue {
        guard case .array(let list)? = json(row.attributes, of: rows) else { return .null }
        var members: [String: JSONValue] = [:]
        for attribute in list {
            guard case .string(let key)? = attribute["key"], members[key] == nil else { continue }
            members[key] = attribute["value"]
        }
        return .object(members)
    }

    /// A value that a client has written, read so that it is valid JSON in one line; nil if it is not JSON.
    private static func json(_ text: EventText, of rows: EventRows) -> JSONValue? {
        guard text.count <= maximumJSONLength else { return nil }
        return rows.string(text).flatMap { try? JSONValue(parsing: $0, limits: EventBatchParser.limits) }
    }

    /// The folder and the compressed content of each file.
    mutating func compressed() throws(EventLogError) -> [(folder: String, content: [UInt8])] {
        var contents: [(folder: String, content: [UInt8])] = []
        for (folder, var file) in files.sorted(by: { $0.key < $1.key }) {
            if file.lines.count > 0 { try file.compress() }
            contents.append((folder, file.compressed))
        }
        return contents
    }
}

/// What exposures and conversions have in common.
private protocol EventRow {
    var key: Int64 { get }
    var visitorID: EventText { get }
    var attributes: EventText { get }
    var event: EventFields { get }
}

extension ExposureRow: EventRow {}
extension ConversionRow: EventRow {}
