import TurnoutEngine

/// One pass over a body.
struct EventBatchPass {
    private let body: UnsafeBufferPointer<UInt8>
    private let isLenient: Bool
    private var invalidVisitors = 0
    /// With more of them the body is not JSON: finding the line of each mistake takes time.
    private static let invalidVisitorLimit = 20
    /// The most pairs of a decision and an event in one snapshot. Clients send one.
    private static let combinationLimit = 100_000
    private(set) var rows: EventRows
    /// The decisions and events of the current snapshot.
    private var decisions: [ArmTexts] = []
    private var events: [Event] = []

    private struct Event {
        var fields = EventFields()
        var revenue: Int64?
        var value: Double?
        var tags = EventText.none
    }

    /// `isLenient`: whether visitors that are not JSON are rejected, instead of the body.
    init(body: UnsafeBufferPointer<UInt8>, rows: EventRows, isLenient: Bool) {
        (self.body, self.rows, self.isLenient) = (body, rows, isLenient)
    }

    /// Reads the body. Returns whether it has visitors.
    mutating func readBatch(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        var (isFirst, hasVisitors) = (true, false)
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            switch key.member {
            case "account_id": rows.accountID = try readText(&reader)
            case "project_id": rows.projectID = try readText(&reader)
            case "revision": rows.revision = try readText(&reader)
            case "client_name": rows.clientName = try readText(&reader)
            case "client_version": rows.clientVersion = try readText(&reader)
            case "visitors":
                hasVisitors = reader.peek() == UInt8(ascii: "[")
                try readObjects(&reader, else: .noVisitorID) { (pass, reader) throws(JSONError) in
                    try pass.isLenient ? pass.readVisitorAlone(&reader) : pass.readVisitor(&reader)
                }
            default: try reader.skipValue()
            }
        }
        return hasVisitors
    }

    // MARK: Visitors

    /// Reads a visitor, or rejects it if it is not JSON.
    private mutating func readVisitorAlone(_ reader: inout JSONReader) throws(JSONError) {
        guard invalidVisitors < Self.invalidVisitorLimit else { return try readVisitor(&reader) }
        let start = reader.offset
        let first = (rows.exposures.count, rows.conversions.count, rows.rejected.count)
        let isValid = try reader.readObject { (reader) throws(JSONError) in try readVisitor(&reader) }
        guard !isValid else { return }
        rows.exposures.removeSubrange(first.0...)
        rows.conversions.removeSubrange(first.1...)
        rows.rejected.removeSubrange(first.2...)
        invalidVisitors += 1
        reject(.syntax, from: start, reader)
    }

    private mutating func readVisitor(_ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        let first = (exposures: rows.exposures.count, conversions: rows.conversions.count)
        var (id, attributes, isFirst) = (EventText.none, EventText.none, true)
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            switch key.member {
            case "visitor_id": id = try readText(&reader)
            case "attributes": attributes = try readRaw(&reader)
            case "snapshots":
                try readObjects(&reader, else: .wrongType) { (pass, reader) throws(JSONError) in
                    try pass.readSnapshot(&reader)
                }
            default: try reader.skipValue()
            }
        }
        guard id.count > 0, id.count <= EventBatchParser.maximumTextLength else {
            rows.exposures.removeSubrange(first.exposures...)
            rows.conversions.removeSubrange(first.conversions...)
            reject(id.count > 0 ? .tooLong : .noVisitorID, from: start, reader)
            return
        }
        // An empty list says nothing.
        if attributes.count <= 2 { attributes = .none }
        for index in first.exposures..<rows.exposures.count {
            rows.exposures[index].visitorID = id
            rows.exposures[index].attributes = attributes
        }
        for index in first.conversions..<rows.conversions.count {
            rows.conversions[index].visitorID = id
            rows.conversions[index].attributes = attributes
        }
    }

    private mutating func readSnapshot(_ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        decisions.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        var isFirst = true
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            switch key.member {
            case "decisions":
                try readObjects(&reader, else: .wrongType) { (pass, reader) throws(JSONError) in
                    try pass.readDecision(&reader)
                }
            case "events":
                try readObjects(&reader, else: .noEventKey) { (pass, reader) throws(JSONError) in
                    try pass.readEvent(&reader)
                }
            default: try reader.skipValue()
            }
        }
        addRows(from: start, reader)
    }

    /// An activation is an exposure to the decisions of its campaign, or to all of them if none has its campaign. All
    /// other events are conversions, and decisions beside them only say what the client assumed.
    private mutating func addRows(from start: Int, _ reader: borrowing JSONReader) {
        if events.isEmpty, !decisions.isEmpty { return reject(.noEvent, from: start, reader) }
        // Each event may be an exposure to each decision: a small body must not take all memory.
        guard decisions.count * events.count <= Self.combinationLimit else {
            return reject(.tooMany, from: start, reader)
        }
        for event in events {
            guard isActivation(event.fields.eventKey) else {
                rows.conversions.append(
                    ConversionRow(
                        revenue: event.revenue, value: event.value, tags: event.tags, event: event.fields))
                continue
            }
            let hasOwn = decisions.count > 1 && decisions.contains { isEqual($0.campaign, event.fields.entityID) }
            for decision in decisions where !hasOwn || isEqual(decision.campaign, event.fields.entityID) {
                rows.exposures.append(ExposureRow(arm: decision, event: event.fields))
            }
        }
    }

    private mutating func readDecision(_ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        var (arm, isFirst) = (ArmTexts(), true)
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            switch key.member {
            case "campaign_id": arm.campaign = try readText(&reader)
            case "experiment_id": arm.experiment = try readText(&reader)
            case "variation_id": arm.variation = try readText(&reader)
            case "metadata" where reader.peek() == UInt8(ascii: "{"): try readMetadata(&reader, &arm)
            default: try reader.skipValue()
            }
        }
        let texts = [arm.campaign, arm.experiment, arm.variation, arm.flagKey, arm.ruleKey, arm.variationKey]
        guard texts.allSatisfy({ $0.count <= EventBatchParser.maximumTextLength }) else {
            return reject(.tooLong, from: start, reader)
        }
        decisions.append(arm)
    }

    private mutating func readMetadata(_ reader: inout JSONReader, _ arm: inout ArmTexts) throws(JSONError) {
        var isFirst = true
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            switch key.member {
            case "flag_key": arm.flagKey = try readText(&reader)
            case "rule_key": arm.ruleKey = try readText(&reader)
            case "rule_type": arm.ruleType = try readText(&reader)
            case "variation_key": arm.variationKey = try readText(&reader)
            case "enabled":
                let next = reader.peek()
                if next == UInt8(ascii: "t") || next == UInt8(ascii: "f") {
                    arm.isEnabled = try reader.readBool()
                } else {
                    try reader.skipValue()
                }
            default: try reader.skipValue()
            }
        }
    }

    private mutating func readEvent(_ reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        var (event, isFirst) = (Event(), true)
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            switch key.member {
            case "entity_id": event.fields.entityID = try readText(&reader)
            case "key": event.fields.eventKey = try readText(&reader)
            case "uuid": event.fields.uuid = try readText(&reader)
            case "timestamp": event.fields.timestamp = try readNumber(&reader)?.integer ?? 0
            case "revenue": event.revenue = try readNumber(&reader)?.integer
            case "value": event.value = try readNumber(&reader)?.double
            case "tags":
                event.tags = try readRaw(&reader)
                if event.tags.count <= 2 { event.tags = .none }
            default: try reader.skipValue()
            }
        }
        let fields = event.fields
        guard fields.eventKey.count > 0 else { return reject(.noEventKey, from: start, reader) }
        guard
            [fields.eventKey, fields.entityID, fields.uuid].allSatisfy({
                $0.count <= EventBatchParser.maximumTextLength
            })
        else { return reject(.tooLong, from: start, reader) }
        events.append(event)
    }

    // MARK: Values

    /// Reads a list of objects. Other elements are rejected; another value than a list is skipped.
    private mutating func readObjects(
        _ reader: inout JSONReader, else reason: RejectedPart.Reason,
        _ read: (inout EventBatchPass, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard reader.peek() == UInt8(ascii: "[") else { return try reader.skipValue() }
        var isFirst = true
        try reader.enterArray()
        while try reader.nextElement(isFirst: &isFirst) {
            if reader.peek() == UInt8(ascii: "{") {
                try read(&self, &reader)
            } else {
                let start = reader.offset
                try reader.skipValue()
                reject(reason, from: start, reader)
            }
        }
    }

    /// Reads a string; a number or a Boolean is used as it is written. None for other values.
    private mutating func readText(_ reader: inout JSONReader) throws(JSONError) -> EventText {
        guard reader.peek() == UInt8(ascii: "\"") else {
            let start = reader.offset
            let next = reader.peek()
            try reader.skipValue()
            guard next != UInt8(ascii: "{"), next != UInt8(ascii: "["), next != UInt8(ascii: "n") else { return .none }
            return text(start, reader.offset)
        }
        let bytes = try reader.readString().bytes
        guard let start = bytes.baseAddress, let first = body.baseAddress, !bytes.isEmpty else { return text(0, 0) }
        if start >= first, start < first + body.count { return text(start - first, start - first + bytes.count) }
        let place = body.count + rows.resolved.count
        rows.resolved += bytes
        return text(place, place + bytes.count)
    }

    /// Reads a value as it is written.
    private mutating func readRaw(_ reader: inout JSONReader) throws(JSONError) -> EventText {
        _ = reader.peek()
        let start = reader.offset
        let isNull = reader.peek() == UInt8(ascii: "n")
        try reader.skipValue()
        return isNull ? .none : text(start, reader.offset)
    }

    /// Reads a number, or a number in a string. Nil for other values.
    private mutating func readNumber(_ reader: inout JSONReader) throws(JSONError) -> JSONNumber? {
        switch reader.peek() {
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"): return try reader.readNumber()
        case UInt8(ascii: "\""):
            let text = try reader.readString()
            guard text.bytes.count <= 32 else { return nil }
            return Int64(text.string).map { .integer($0) } ?? Double(text.string).map { .real($0) }
        default:
            try reader.skipValue()
            return nil
        }
    }

    private func text(_ start: Int, _ end: Int) -> EventText {
        EventText(start: Int32(start), count: Int32(end - start))
    }

    // MARK: Comparisons

    private func isActivation(_ text: EventText) -> Bool {
        let name: StaticString = "campaign_activated"
        guard text.count == name.utf8CodeUnitCount else { return false }
        return rows.withBytes(of: text) { bytes in
            bytes?.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) == true
        }
    }

    private func isEqual(_ left: EventText, _ right: EventText) -> Bool {
        rows.withBytes(of: left) { left in
            rows.withBytes(of: right) { right in
                guard let left, let right else { return false }
                return left.elementsEqual(right)
            }
        }
    }

    private mutating func reject(_ reason: RejectedPart.Reason, from start: Int, _ reader: borrowing JSONReader) {
        rows.rejected.append(RejectedPart(reason: reason, start: start, count: reader.offset - start))
    }
}

extension JSONText {
    /// The name of a member to compare with literals; names that no member has are not decoded.
    @inline(__always)
    fileprivate var member: String { bytes.count <= 15 ? string : "" }
}

extension JSONNumber {
    /// The value as an integer; a fraction is cut off. Nil if it does not fit.
    fileprivate var integer: Int64? { exactInteger ?? double.flatMap { Int64(exactly: $0.rounded(.towardZero)) } }
}
