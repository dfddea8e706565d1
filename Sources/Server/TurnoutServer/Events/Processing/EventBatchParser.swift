import TurnoutEngine

/// Reads the body of a request to the vendor's intake in a single pass, and converts it to rows.
///
/// Members come in any order, and unknown ones are skipped. A part that cannot be processed is rejected and the rest
/// is used, unless the body is not JSON at all. No visitor costs another: what is no JSON in a visitor is replaced
/// (`repairedJSON`), or else only that visitor is rejected.
package struct EventBatchParser: Sendable {
    /// The greatest distance of a timestamp before the time of receipt: 30 days.
    package static let maximumAge: Int64 = 30 * 86_400_000
    /// The greatest distance of a timestamp after the time of receipt: 10 minutes.
    package static let maximumAdvance: Int64 = 600_000
    /// The maximum length of an id or a key in bytes.
    package static let maximumTextLength = 1_024

    /// The limits of a body's JSON.
    static var limits: JSONLimits {
        var limits = JSONLimits()
        limits.depth = 64
        return limits
    }

    package init() {}

    /// Converts a body to rows.
    ///
    /// - Complexity: O(*n*) in the length of the body.
    package func rows(of record: EventLogRecord) -> EventRows {
        if let rows = rows(of: record, isLenient: false) { return rows }
        let repaired = record.body.repairedJSON.map {
            EventLogRecord(offset: record.offset, receivedAt: record.receivedAt, body: $0)
        }
        if let rows = rows(of: repaired ?? record, isLenient: true) { return rows }
        var rows = EventRows(record)
        rows.rejected = [RejectedPart(reason: .syntax, start: 0, count: record.body.count)]
        return rows
    }

    /// The rows; nil if the body is not JSON, apart from visitors if the pass is lenient.
    private func rows(of record: EventLogRecord, isLenient: Bool) -> EventRows? {
        record.body.withUnsafeBufferPointer { body -> EventRows? in
            do throws(JSONError) {
                return try JSONReader.read(body, limits: Self.limits) { (reader) throws(JSONError) in
                    var pass = EventBatchPass(body: body, rows: EventRows(record), isLenient: isLenient)
                    let hasVisitors = try pass.readBatch(&reader)
                    var rows = pass.rows
                    if !hasVisitors {
                        rows.rejected.append(RejectedPart(reason: .noVisitors, start: 0, count: body.count))
                    }
                    rows.complete()
                    return rows
                }
            } catch { return nil }
        }
    }
}

extension EventRows {
    /// Sets what depends on several members: hashes, and times.
    mutating func complete() {
        let project = withBytes(of: projectID) { bytes in
            var hash = EventHash()
            hash.add(bytes)
            return hash
        }
        var (last, lastHash) = (EventText.none, Int64(0))
        func visitor(_ text: EventText) -> Int64 {
            if text != last {
                var hash = project
                withBytes(of: text) { hash.add($0) }
                (last, lastHash) = (text, hash.value)
            }
            return lastHash
        }
        for index in exposures.indices {
            exposures[index].visitor = visitor(exposures[index].visitorID)
            complete(&exposures[index].event)
            exposures[index].key = key(project, exposures[index])
        }
        for index in conversions.indices {
            conversions[index].visitor = visitor(conversions[index].visitorID)
            complete(&conversions[index].event)
            conversions[index].key = key(project, conversions[index])
        }
    }

    private func complete(_ event: inout EventFields) {
        let age = receivedAt.subtractingReportingOverflow(event.timestamp)
        let isPlausible =
            !age.overflow && event.timestamp > 0 && age.partialValue <= EventBatchParser.maximumAge
            && age.partialValue >= -EventBatchParser.maximumAdvance
        if isPlausible {
            event.day = event.timestamp / 86_400_000
        } else {
            event.claimed = event.timestamp == 0 ? nil : event.timestamp
            event.timestamp = receivedAt
            event.corrections.insert(.timestamp)
        }
        if event.uuid.isNone || event.uuid.count == 0 { event.corrections.insert(.uuid) }
    }

    /// The hash that two copies of an exposure share. One event may have several decisions.
    private func key(_ project: EventHash, _ row: ExposureRow) -> Int64 {
        var hash = project
        add(row.event, visitor: row.visitor, to: &hash)
        withBytes(of: row.arm.campaign) { hash.add($0) }
        withBytes(of: row.arm.flagKey) { hash.add($0) }
        if row.event.corrections.contains(.uuid) { withBytes(of: row.arm.variation) { hash.add($0) } }
        return hash.value
    }

    private func key(_ project: EventHash, _ row: ConversionRow) -> Int64 {
        var hash = project
        add(row.event, visitor: row.visitor, to: &hash)
        if row.event.corrections.contains(.uuid) { withBytes(of: row.tags) { hash.add($0) } }
        return hash.value
    }

    /// Adds the event's id, or else its content.
    private func add(_ event: EventFields, visitor: Int64, to hash: inout EventHash) {
        guard event.corrections.contains(.uuid) else {
            withBytes(of: event.uuid) { text in
                if let text, let (high, low) = EventUUID.bits(text) {
                    hash.add(high)
                    hash.add(low)
                } else {
                    hash.add(text)
                }
            }
            return
        }
        hash.add(UInt64(bitPattern: visitor))
        withBytes(of: event.eventKey) { hash.add($0) }
        withBytes(of: event.entityID) { hash.add($0) }
        // A corrected time is that of one copy.
        hash.add(event.corrections.contains(.timestamp) ? 0 : UInt64(bitPattern: event.timestamp))
    }
}
