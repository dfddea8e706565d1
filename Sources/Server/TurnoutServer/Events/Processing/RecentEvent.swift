package import TurnoutEngine

/// An event as it was received, or a part of a request that cannot be processed.
package struct RecentEvent: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// A visitor saw a variation.
        case exposure
        /// A visitor did what an experiment measures.
        case conversion
        /// A part of a request that cannot be processed.
        case rejected
    }

    package var kind: Kind
    /// When it was received, in milliseconds since 1970.
    package var received: Int64
    package var project: String?
    /// The name of the client, and its version.
    package var client: String?
    package var version: String?
    /// Whether no datafile has the project: the request waits until one does.
    package var isSetAside: Bool
    package var user: String?
    package var flag: String?
    package var ruleID: String?
    package var ruleKey: String?
    package var variationID: String?
    package var variationKey: String?
    /// The key of a conversion's event.
    package var event: String?
    package var revenue: Int64?
    package var value: Double?
    /// Why a part cannot be processed, and how it begins.
    package var reason: RejectedPart.Reason?
    package var content: String?

    init(_ kind: Kind, of rows: EventRows, isSetAside: Bool) {
        (self.kind, self.isSetAside, received) = (kind, isSetAside, rows.receivedAt)
        project = rows.shortText(rows.projectID)
        client = rows.shortText(rows.clientName)
        version = rows.shortText(rows.clientVersion)
    }

    package func write(to json: inout JSONWriter) {
        json.member("kind", kind.rawValue)
        json.member("received", Timestamp.text(received))
        let texts = [
            ("project", project), ("client", client), ("version", version), ("user", user), ("flag", flag),
            ("ruleID", ruleID), ("rule", ruleKey), ("variationID", variationID), ("variation", variationKey),
            ("event", event), ("reason", reason?.rawValue), ("content", content),
        ]
        for (name, text) in texts { if let text { json.member(name, text) } }
        if let revenue { json.member("revenue", Int(revenue)) }
        if let value { json.member("value", value) }
        if isSetAside { json.member("isSetAside", true) }
    }
}

/// The events that someone wants to see: those whose texts contain others. An empty text is in all.
package struct RecentEventFilter: Sendable, Equatable {
    package var flag = ""
    /// The key of a conversion's event, or the name of a kind.
    package var event = ""
    package var user = ""

    package init(flag: String? = nil, event: String? = nil, user: String? = nil) {
        (self.flag, self.event, self.user) = (flag ?? "", event ?? "", user ?? "")
    }

    package func matches(_ each: RecentEvent) -> Bool {
        func contains(_ text: String?, _ part: String) -> Bool { part.isEmpty || text?.contains(part) == true }
        return contains(each.flag, flag) && contains(each.user, user)
            && (contains(each.event, event) || each.kind.rawValue == event)
    }
}

extension EventRows {
    /// Texts outside of events have any length.
    fileprivate func shortText(_ text: EventText) -> String? { string(text).map { String($0.prefix(100)) } }

    /// The events and the rejected parts, the last first, but not more than a limit of each.
    func recent(isSetAside: Bool, limit: Int) -> [RecentEvent] {
        let exposures = exposures.suffix(limit).map { row in
            var event = RecentEvent(.exposure, of: self, isSetAside: isSetAside)
            (event.user, event.flag) = (string(row.visitorID), string(row.arm.flagKey))
            (event.ruleID, event.ruleKey) = (string(row.arm.experiment), string(row.arm.ruleKey))
            (event.variationID, event.variationKey) = (string(row.arm.variation), string(row.arm.variationKey))
            return event
        }
        let conversions = conversions.suffix(limit).map { row in
            var event = RecentEvent(.conversion, of: self, isSetAside: isSetAside)
            (event.user, event.event) = (string(row.visitorID), string(row.event.eventKey))
            (event.revenue, event.value) = (row.revenue, row.value)
            return event
        }
        let rejected = rejected.suffix(limit).map { part in
            var event = RecentEvent(.rejected, of: self, isSetAside: isSetAside)
            event.reason = part.reason
            let start = min(part.start, body.count)
            let end = min(body.count, start + min(part.count, 300))
            event.content = String(decoding: body[start..<end], as: UTF8.self)
            return event
        }
        return Array((exposures + conversions + rejected).reversed())
    }
}
