package import TurnoutEngine

/// A line of a log of decisions, in one of the forms that `turnout replay` recognizes.
package enum LogLine {
    /// Reads a line of JSON, and its decisions.
    static func decisions(parsing line: UnsafeBufferPointer<UInt8>) throws(LogLineError) -> [LoggedDecision] {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: Array(line)) } catch {
            throw LogLineError("column \(error.column): \(error.message)")
        }
        return try decisions(in: value)
    }

    /// The decisions in a line; none in one that reports something else, such as a conversion.
    ///
    /// - Throws: `LogLineError` if the form is not recognized.
    package static func decisions(in line: JSONValue) throws(LogLineError) -> [LoggedDecision] {
        guard let fields = LogFields(line) else { throw LogLineError("expected a JSON object") }
        if case .array(let visitors)? = fields["visitors"] { return try impressions(visitors) }
        // Log event notifications wrap the payload.
        if let payload = LogFields(fields["params", "body"]), case .array(let visitors)? = payload["visitors"] {
            return try impressions(visitors)
        }
        if let info = LogFields(fields["decisioninfo"]) { return [try notification(fields, info)] }
        return [try plain(fields)]
    }

    /// A line of `turnout decide`, or a decision notification as one object.
    private static func plain(_ fields: LogFields) throws(LogLineError) -> LoggedDecision {
        guard let flagKey = fields.string("flag", "flagkey") else {
            throw LogLineError("neither a decision, a decision notification nor a payload of events")
        }
        return decision(of: .flag(flagKey), by: try userID(fields), Attributes(logged: fields["attributes"]), fields)
    }

    /// A decision notification: `{"type": "flag", "userId": …, "attributes": …, "decisionInfo": {…}}`.
    private static func notification(_ fields: LogFields, _ info: LogFields) throws(LogLineError) -> LoggedDecision {
        let (userID, attributes) = (try userID(fields), Attributes(logged: fields["attributes"]))
        if let flagKey = info.string("flagkey") { return decision(of: .flag(flagKey), by: userID, attributes, info) }
        if let key = info.string("experimentkey") {
            var decision = LoggedDecision(.experiment(key), userID: userID, attributes: attributes)
            decision.add(key: .variation, info["variationkey"] ?? .null)
            return decision
        }
        guard let key = info.string("featurekey") else {
            throw LogLineError("the decision notification has no flag, feature or experiment")
        }
        var decision = LoggedDecision(.feature(key), userID: userID, attributes: attributes)
        decision.add(.enabled, info["featureenabled"])
        decision.add(.source, info["source"])
        // Some clients leave the source's information empty for rollouts.
        if let source = LogFields(info["sourceinfo"]) {
            decision.add(key: .rule, source["experimentkey"])
            decision.add(key: .variation, source["variationkey"])
        }
        if let variable = info.string("variablekey") { decision.add(.variable(variable), info["variablevalue"]) }
        decision.add(variables: info["variablevalues"])
        return decision
    }

    private static func decision(
        of subject: LoggedDecision.Subject, by userID: String, _ attributes: Attributes?, _ fields: LogFields
    ) -> LoggedDecision {
        var decision = LoggedDecision(subject, userID: userID, attributes: attributes)
        decision.add(key: .variation, fields["variation", "variationkey"])
        decision.add(key: .rule, fields["rule", "rulekey"])
        decision.add(.enabled, fields["enabled", "isenabled"])
        decision.add(id: .ruleID, fields["experimentid"])
        decision.add(id: .variationID, fields["variationid"])
        decision.add(variables: fields["variables"])
        decision.isPredicted = fields.string("stage") == "predicted" || fields.string("cmabuuid") != nil
        return decision
    }

    private static func userID(_ fields: LogFields) throws(LogLineError) -> String {
        guard let id = fields.string("user", "userid") else { throw LogLineError("the decision has no user id") }
        return id
    }

    // MARK: Events

    /// The impressions in a payload of events. Conversions have no decisions.
    private static func impressions(_ visitors: [JSONValue]) throws(LogLineError) -> [LoggedDecision] {
        var decisions: [LoggedDecision] = []
        for visitor in visitors {
            guard let visitor = LogFields(visitor), let userID = visitor.string("visitorid") else {
                throw LogLineError("a visitor of the payload has no id")
            }
            let attributes = attributes(visitor["attributes"])
            guard case .array(let snapshots)? = visitor["snapshots"] else { continue }
            for snapshot in snapshots {
                guard case .array(let entries)? = snapshot["decisions"] else { continue }
                for case let entry? in entries.map(LogFields.init) {
                    decisions.append(try impression(entry, of: userID, attributes))
                }
            }
        }
        return decisions
    }

    private static func impression(
        _ entry: LogFields, of userID: String, _ attributes: Attributes
    ) throws(LogLineError) -> LoggedDecision {
        guard let metadata = LogFields(entry["metadata"]) else {
            throw LogLineError("an impression of the payload has no metadata")
        }
        let flagKey = metadata.string("flagkey") ?? ""
        let isExperiment = flagKey.isEmpty
        let subject: LoggedDecision.Subject =
            isExperiment ? .experiment(metadata.string("rulekey") ?? "") : .flag(flagKey)
        var decision = LoggedDecision(subject, userID: userID, attributes: attributes)
        decision.add(key: .variation, metadata["variationkey"])
        if !isExperiment {
            decision.add(key: .rule, metadata["rulekey"])
            decision.add(.enabled, metadata["enabled"])
        }
        decision.add(id: .ruleID, entry["experimentid"])
        decision.add(id: .variationID, entry["variationid"])
        decision.isPredicted = metadata.string("cmabuuid") != nil
        decision.hasDeclaredAttributesOnly = true
        return decision
    }

    /// The attributes of a visitor, except the one that is not the user's but the project's.
    private static func attributes(_ value: JSONValue?) -> Attributes {
        var attributes = Attributes()
        guard case .array(let elements)? = value else { return attributes }
        for element in elements {
            guard case .string(let key)? = element["key"], let value = element["value"] else { continue }
            if key != "$opt_bot_filtering" { attributes[key] = AttributeValue(value) }
        }
        return attributes
    }
}

/// Why a line is not recognized, as the end of a sentence.
package struct LogLineError: Error, Equatable {
    package let message: String
    init(_ message: String) { self.message = message }
}

/// The members of an object in a log, in any spelling: `flagKey`, `flag_key` and `FlagKey` are the same.
struct LogFields {
    private let members: [String: JSONValue]

    init?(_ value: JSONValue?) {
        guard case .object(let members)? = value else { return nil }
        var normalized: [String: JSONValue] = [:]
        for (key, value) in members { normalized[Self.normalized(key)] = value }
        self.members = normalized
    }

    private static func normalized(_ key: String) -> String {
        String(decoding: key.utf8.filter { $0 != UInt8(ascii: "_") }.map(lowercased), as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The first member with one of these names, in lower case without underscores.
    subscript(names: String...) -> JSONValue? { names.lazy.compactMap { members[$0] }.first }

    /// The text of the first member with one of these names.
    func string(_ names: String...) -> String? {
        for name in names { if case .string(let text)? = members[name] { return text } }
        return nil
    }
}

extension Attributes {
    /// The attributes of an object; nil if there is none. Null stands for no attributes.
    init?(logged value: JSONValue?) {
        switch value {
        case .object(let members): self.init(members.mapValues { AttributeValue($0) })
        case .null: self.init()
        default: return nil
        }
    }
}
