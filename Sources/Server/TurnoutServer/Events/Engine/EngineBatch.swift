/// Events of consecutive bodies in the log, as rows of an engine's table. Equal bodies have equal rows,
/// but for the mark of those whose visitor was forced meanwhile.
package struct EngineBatch: Sendable {
    /// The bodies that have the texts of the rows.
    package private(set) var bodies: [EventRows] = []
    package private(set) var rows: [EngineRow] = []

    /// The bytes of a row's other texts, of which few are longer.
    private static let otherTexts = 1_024

    package init() {}

    /// The number of rows.
    package var count: Int { rows.count }

    /// Adds the events of a body, marking those of some visitors as forced.
    mutating func add(_ body: EventRows, isForced: (_ visitor: Int64) -> Bool) {
        guard body.count > 0 else { return }
        let place = bodies.count
        bodies.append(body)
        let first = rows.count
        for exposure in body.exposures { rows.append(EngineRow(exposure, of: body, at: place)) }
        for conversion in body.conversions { rows.append(EngineRow(conversion, of: body, at: place)) }
        for row in first..<rows.count where isForced(rows[row].visitor) { rows[row].notes.insert(.forced) }
    }

    /// The rows that pass a test, or some of them by number.
    func filtered(_ isIncluded: (EngineRow) -> Bool) -> EngineBatch { with(rows.filter(isIncluded)) }
    func rows(_ range: Range<Int>) -> EngineBatch { with(Array(rows[range])) }

    /// The rows in parts of about a number of bytes.
    func parts(ofSize size: Int) -> [EngineBatch] {
        var (parts, start, sum) = ([EngineBatch](), 0, 0)
        for (index, row) in rows.enumerated() {
            let length = Int(row.attributes.count + row.tags.count) + Self.otherTexts
            if sum + length > size, index > start {
                parts.append(self.rows(start..<index))
                (start, sum) = (index, 0)
            }
            sum += length
        }
        return start == 0 ? [self] : parts + [self.rows(start..<count)]
    }

    private func with(_ rows: [EngineRow]) -> EngineBatch {
        var batch = self
        batch.rows = rows
        return batch
    }
}

/// An event as a row of an engine's table.
package struct EngineRow: Sendable {
    package enum Kind: UInt8, Sendable { case exposure = 1, conversion }

    /// Notes about a row, as ``EngineTable`` has them.
    struct Notes: OptionSet {
        let rawValue: UInt8
        static let correctedTime = Notes(rawValue: 1)
        static let noID = Notes(rawValue: 2)
        /// The variation of the visitor was forced at the server that wrote the row.
        static let forced = Notes(rawValue: 16)
    }

    /// The times of rows, until the year 2200: a server corrects others when it receives them.
    static let times: Range<Int64> = 1..<7_258_118_400_000

    private static let maximumJSONLength = 8 << 10

    /// The place of the body among those of the batch.
    let body: Int
    let kind: Kind
    /// The experiment, or the key of the event.
    let subject: EventText
    let visitor: Int64
    let visitorID: EventText
    /// The hash that copies of the event share.
    let key: Int64
    let fields: EventFields
    var arm = ArmTexts()
    var revenue: Int64?
    var value: Double?
    var tags = EventText.none
    let attributes: EventText
    fileprivate(set) var notes: Notes

    fileprivate init(_ row: ExposureRow, of rows: EventRows, at body: Int) {
        (self.body, kind, subject, arm) = (body, .exposure, row.arm.experiment, row.arm)
        (visitor, visitorID, key, fields) = (row.visitor, row.visitorID, row.key, row.event)
        (attributes, notes) = (row.attributes.limited(to: Self.maximumJSONLength), Notes(row.event.corrections))
    }

    fileprivate init(_ row: ConversionRow, of rows: EventRows, at body: Int) {
        (self.body, kind, subject) = (body, .conversion, row.event.eventKey)
        (visitor, visitorID, key, fields) = (row.visitor, row.visitorID, row.key, row.event)
        (revenue, value, tags) = (row.revenue, row.value, row.tags.limited(to: Self.maximumJSONLength))
        (attributes, notes) = (row.attributes.limited(to: Self.maximumJSONLength), Notes(row.event.corrections))
    }
}

extension EventText {
    /// No text instead of a longer one: a small request could repeat it in thousands of rows, and an entry in an index
    /// of PostgreSQL has room for 2,704 bytes.
    func limited(to length: Int) -> EventText { count <= length ? self : .none }
}

extension EngineRow.Notes {
    fileprivate init(_ corrections: EventCorrections) {
        self = []
        if corrections.contains(.timestamp) { insert(.correctedTime) }
        if corrections.contains(.uuid) { insert(.noID) }
    }
}
