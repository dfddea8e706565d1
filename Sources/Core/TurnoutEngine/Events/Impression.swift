/// The fields of an impression that follow from the decision.
public struct Impression: Sendable, Equatable {
    /// The rule's campaign: its layer id if there is one, otherwise ``experimentID``.
    public let campaignID: String
    /// The id of the experiment, rollout rule or holdout; empty if there is none.
    public let experimentID: String
    /// The id of the variation. Nil if there is none or it is not all digits, which the server rejects.
    public let variationID: String?
    /// The key of the flag.
    public let flagKey: String
    /// The key of the rule; empty if there is none.
    public let ruleKey: String
    /// The kind of rule: `feature-test`, `rollout`, `holdout`, or `experiment` for the legacy interfaces.
    public let ruleType: String
    /// The key of the variation; empty if there is none.
    public let variationKey: String
    /// Whether the flag is on.
    public let isEnabled: Bool
    /// The id of the prediction that chose the variation, if any.
    public let predictionUUID: String?
}

extension Decision {
    /// The impression to send, or nil if none is due.
    ///
    /// One is due if an experiment or a holdout decided, or if the project sends all decisions, unless
    /// `disableDecisionEvent` is set.
    public var impression: Impression? {
        guard hasImpression else { return nil }
        return impression(flagKey: flagKey, ruleType: source.rawValue, isEnabled: isEnabled)
    }

    /// The impression that `activate` sends, with the rule but no flag; nil without a variation.
    public var activation: Impression? {
        guard variationRow >= 0 else { return nil }
        return impression(flagKey: "", ruleType: "experiment", isEnabled: true)
    }

    /// Whether there is an ``impression``.
    package var hasImpression: Bool {
        guard let project, flagRow >= 0, !isError, !options.contains(.disableDecisionEvent) else { return false }
        return (source != .rollout && variationRow >= 0) || project.sendsFlagDecisions
    }

    @inline(__always)
    func impression(flagKey: String, ruleType: String, isEnabled: Bool) -> Impression {
        let (rule, variation) = rows
        let experimentID = text(rule.id)
        let layerID = text(rule.layerID)
        let startsVisibly = layerID.utf8.first.map { (0x21..<0x7F).contains($0) } ?? false
        let isBlank = !startsVisibly && layerID.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        let variationID = text(variation.id)
        let isNumeric = !variationID.isEmpty && variationID.withBytes { $0.allSatisfy { $0 &- 0x30 < 10 } }
        return Impression(
            campaignID: isBlank ? experimentID : layerID, experimentID: experimentID,
            variationID: isNumeric ? variationID : nil, flagKey: flagKey, ruleKey: text(rule.key),
            ruleType: ruleType, variationKey: text(variation.key), isEnabled: isEnabled,
            predictionUUID: predictionUUID)
    }

    /// The rows behind the views `rule` and `variation`, which would retain the project. Those of no rule and of no
    /// variation have empty texts.
    @inline(__always)
    private var rows: (rule: RuleRow, variation: VariationRow) {
        guard let project, variationRow >= 0 else { return (RuleRow(), VariationRow()) }
        let rule = ruleRow < 0 ? RuleRow() : project.tables.rules[Int(ruleRow)]
        return (rule, project.tables.variations[Int(variationRow)])
    }

    @inline(__always)
    private func text(_ symbol: Symbol) -> String { project?.text(symbol) ?? "" }
}

extension JSONWriter {
    /// Writes an impression's entry in `decisions`.
    public mutating func impression(_ impression: Impression) {
        separate()
        append(room: impression.room) { $0.append(impression) }
    }
}

extension Impression {
    /// An upper bound for the bytes that ``ByteCursor/append(_:)`` writes.
    @inline(__always)
    var room: Int {
        let rule = ByteCursor.roomForQuoted(ruleKey) + ByteCursor.roomForQuoted(ruleType)
        let ids = ByteCursor.roomForQuoted(campaignID) + ByteCursor.roomForQuoted(experimentID)
        let variation = ByteCursor.roomForQuoted(variationKey) + ByteCursor.roomForQuoted(variationID ?? "")
        return rule + ids + variation + ByteCursor.roomForQuoted(flagKey)
            + ByteCursor.roomForQuoted(predictionUUID ?? "") + 256
    }
}

extension ByteCursor {
    mutating func append(_ impression: Impression) {
        append("{\"campaign_id\":" as StaticString)
        appendQuoted(impression.campaignID)
        append(",\"experiment_id\":" as StaticString)
        appendQuoted(impression.experimentID)
        append(",\"variation_id\":" as StaticString)
        if let id = impression.variationID { appendQuoted(id) } else { append("null" as StaticString) }
        append(",\"metadata\":{\"flag_key\":" as StaticString)
        appendQuoted(impression.flagKey)
        append(",\"rule_key\":" as StaticString)
        appendQuoted(impression.ruleKey)
        append(",\"rule_type\":" as StaticString)
        appendQuoted(impression.ruleType)
        append(",\"variation_key\":" as StaticString)
        appendQuoted(impression.variationKey)
        append(impression.isEnabled ? ",\"enabled\":true" : ",\"enabled\":false" as StaticString)
        if let uuid = impression.predictionUUID {
            append(",\"cmab_uuid\":" as StaticString)
            appendQuoted(uuid)
        }
        append("}}" as StaticString)
    }
}

/// A decision for a flag, as listeners receive it.
public struct DecisionNotification: Sendable {
    /// The key of the flag.
    public let flagKey: String
    /// Whether the flag is on.
    public let isEnabled: Bool
    /// The values of the flag's variables, including those that JSON cannot represent.
    public let variables: Variables
    /// The key of the variation, or nil.
    public let variationKey: String?
    /// The key of the rule, or nil.
    public let ruleKey: String?
    /// The reasons, as in the decision.
    public let reasons: [Reason]
    /// Whether an impression is sent.
    public let isEventDispatched: Bool
    /// The id of the rule, or nil.
    public let experimentID: String?
    /// The id of the variation, or nil.
    public let variationID: String?
}

extension Decision {
    /// The notification for listeners, or nil for an error.
    public var notification: DecisionNotification? {
        guard flagRow >= 0, !isError else { return nil }
        return DecisionNotification(
            flagKey: flagKey, isEnabled: isEnabled, variables: allVariables, variationKey: variationKey,
            ruleKey: ruleKey, reasons: reasons, isEventDispatched: impression != nil, experimentID: rule?.id,
            variationID: variation?.id)
    }
}
