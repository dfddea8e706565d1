/// A piece of text of a body. Most texts are in the body as they are; those with escapes are beside it.
package struct EventText: Sendable, Equatable {
    /// The first byte: in the body if it is below its size, otherwise in the other bytes.
    var start: Int32 = 0
    /// The number of bytes; -1 for none.
    var count: Int32 = -1

    package static let none = EventText()

    /// Whether there is no text.
    package var isNone: Bool { count < 0 }
}

/// A visitor's exposure to a variation.
package struct ExposureRow: Sendable {
    /// The hash by which duplicates are found.
    package var key: Int64 = 0
    /// The hash of the project and the visitor's id.
    package var visitor: Int64 = 0
    package var visitorID = EventText.none
    package var attributes = EventText.none
    package var arm = ArmTexts()
    package var event = EventFields()
}

/// The texts of a decision.
package struct ArmTexts: Sendable {
    /// The campaign or layer; empty for a decision without a rule.
    package var campaign = EventText.none
    /// The experiment; empty for a decision without a rule.
    package var experiment = EventText.none
    /// The variation; none for a decision without a rule.
    package var variation = EventText.none
    package var flagKey = EventText.none
    package var ruleKey = EventText.none
    /// The kind of rule, such as `feature-test`.
    package var ruleType = EventText.none
    package var variationKey = EventText.none
    /// Whether the flag is on; nil if unknown.
    package var isEnabled: Bool?
}

/// A conversion of a visitor.
package struct ConversionRow: Sendable {
    /// The hash by which duplicates are found.
    package var key: Int64 = 0
    /// The hash of the project and the visitor's id.
    package var visitor: Int64 = 0
    package var visitorID = EventText.none
    package var attributes = EventText.none
    /// The revenue in the smallest unit of a currency, such as cents.
    package var revenue: Int64?
    package var value: Double?
    package var tags = EventText.none
    package var event = EventFields()
}

/// The fields that exposures and conversions have in common.
package struct EventFields: Sendable {
    /// The id of the campaign or of the event.
    package var entityID = EventText.none
    package var eventKey = EventText.none
    /// The event's id as it was sent.
    package var uuid = EventText.none
    /// When it happened, in milliseconds since 1970.
    package var timestamp: Int64 = 0
    /// The client's time, if it was corrected; nil if the client named none.
    package var claimed: Int64?
    /// The corrections that processing made.
    package var corrections: EventCorrections = []
    /// The number of the UTC day in whose table duplicates are found; 0 for corrected timestamps.
    package var day: Int64 = 0
}

/// Corrections that processing makes in events.
package struct EventCorrections: OptionSet, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The timestamp was missing or implausible, and the time of receipt replaces it.
    package static let timestamp = EventCorrections(rawValue: 1)
    /// The event had no id; its content identifies it.
    package static let uuid = EventCorrections(rawValue: 2)
    /// Not a correction: the id is stored as a number, and was sent with small letters.
    package static let lowercaseUUID = EventCorrections(rawValue: 4)
}

/// A part of a body that cannot be processed.
package struct RejectedPart: Sendable, Equatable {
    package enum Reason: String, Sendable, CaseIterable {
        /// The body, or a visitor, is not JSON, or too deep.
        case syntax
        /// The body has no list of visitors.
        case noVisitors = "no_visitors"
        /// A visitor is not an object, or has no id.
        case noVisitorID = "no_visitor_id"
        /// A snapshot or event is not an object, or has no key.
        case noEventKey = "no_event_key"
        /// A decision comes without an event, so without a time.
        case noEvent = "no_event"
        /// An id or a key is longer than 1,024 bytes.
        case tooLong = "too_long"
        /// A snapshot has more than 100,000 pairs of a decision and an event.
        case tooMany = "too_many"
        /// A list has an element of another type.
        case wrongType = "wrong_type"
    }

    package var reason: Reason
    /// Where in the body the part starts.
    package var start: Int
    /// The number of its bytes.
    package var count: Int
}

/// The rows of one body.
package struct EventRows: Sendable {
    package let body: [UInt8]
    package internal(set) var resolved: [UInt8] = []
    /// When the body was received, in milliseconds since 1970.
    package let receivedAt: Int64
    /// Where the body is in the log.
    package let offset: Int64

    /// The project, and other members of the body.
    package internal(set) var projectID = EventText.none
    package internal(set) var accountID = EventText.none
    package internal(set) var revision = EventText.none
    package internal(set) var clientName = EventText.none
    package internal(set) var clientVersion = EventText.none

    package internal(set) var exposures: [ExposureRow] = []
    package internal(set) var conversions: [ConversionRow] = []
    /// The parts that cannot be processed.
    package internal(set) var rejected: [RejectedPart] = []

    init(_ record: EventLogRecord) {
        body = record.body
        receivedAt = record.receivedAt
        offset = record.offset
    }

    package var count: Int { exposures.count + conversions.count }

    /// Calls a function with the bytes of a text; nil if there is none.
    @inline(__always)
    package func withBytes<Result>(
        of text: EventText, _ body: (UnsafeBufferPointer<UInt8>?) -> Result
    ) -> Result {
        guard !text.isNone else { return body(nil) }
        let (start, count) = (Int(text.start), Int(text.count))
        if start < self.body.count || resolved.isEmpty {
            return self.body.withUnsafeBufferPointer {
                body(UnsafeBufferPointer(rebasing: $0[min(start, $0.count)..<min(start, $0.count) + count]))
            }
        }
        let place = start - self.body.count
        return resolved.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[place..<place + count]))
        }
    }

    /// A text as a string; nil if there is none.
    package func string(_ text: EventText) -> String? {
        withBytes(of: text) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
}
