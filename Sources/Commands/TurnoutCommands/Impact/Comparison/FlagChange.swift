import TurnoutEngine

/// A user's outcome for a flag, as a program and the results of experiments see it.
package struct FlagState: Sendable, Hashable {
    /// The key of the variation; nil if the user gets none.
    package let variation: String?
    package let variationID: String?
    package let isEnabled: Bool
    /// The key of the experiment, rollout rule or holdout; nil if no rule applied.
    package let rule: String?
    package let ruleID: String?
    /// Whether the variation is an arm of an experiment with results. Feature rollouts and targeted deliveries have
    /// none.
    package let isArm: Bool

    init(_ decision: Decision) {
        let rule = decision.rule
        variation = decision.variationKey
        variationID = decision.variation?.id
        isEnabled = decision.isEnabled
        self.rule = rule?.key
        ruleID = rule?.id
        isArm = rule.map { $0.kind == .experiment && ![.featureRollout, .targetedDelivery].contains($0.type) } ?? false
    }
}

/// A variable whose value differs; nil where a flag lacks the variable.
package struct VariableChange: Sendable, Hashable {
    package let key: String
    package let old: String?
    package let new: String?
}

/// The differences between a user's decisions for a flag, by two datafiles.
package struct FlagChange: Sendable, Hashable {
    package let kinds: ChangeKinds
    package let old: FlagState
    package let new: FlagState
    /// The variables that differ, if the variation is the same.
    package let variables: [VariableChange]

    init(from oldDecision: Decision, to newDecision: Decision) {
        old = FlagState(oldDecision)
        new = FlagState(newDecision)
        let isSameVariation = old.variation == new.variation
        variables = isSameVariation ? Self.variables(oldDecision, newDecision) : []
        let isSameArm = old.ruleID == new.ruleID && old.variationID == new.variationID
        var kinds: ChangeKinds = []
        if old.isArm, new.isArm, old.ruleID == new.ruleID {
            if !isSameArm { kinds.insert(.crossing) }
        } else {
            if old.isArm { kinds.insert(.leaving) }
            if new.isArm { kinds.insert(.entering) }
        }
        let isMissing = oldDecision.stage == .flagNotFound || newDecision.stage == .flagNotFound
        if isMissing {
            // A program gets the same from a missing flag as from one that is off.
            if old.isEnabled != new.isEnabled { kinds.insert(.variation) }
        } else if !isSameVariation {
            kinds.insert(.variation)
        } else {
            if old.isEnabled != new.isEnabled || !variables.isEmpty { kinds.insert(.values) }
            if old.rule != new.rule || old.ruleID != new.ruleID { kinds.insert(.rule) }
        }
        if oldDecision.stage == .storedAssignment, !isSameArm { kinds.insert(.lostAssignment) }
        self.kinds = kinds
    }

    /// Whether the key of the variation differs, or whether the flag is on.
    package var isVisible: Bool { old.variation != new.variation || old.isEnabled != new.isEnabled }

    /// How telling the change is as an example: 3 for a user that crosses, 2 for one that loses a stored assignment, 1
    /// for another change of the variation, and 0 if the variation is the same.
    var rank: Int {
        if kinds.contains(.crossing) { return 3 }
        guard isVisible, !kinds.isEmpty else { return 0 }
        return kinds.contains(.lostAssignment) ? 2 : 1
    }

    private static func variables(_ old: Decision, _ new: Decision) -> [VariableChange] {
        let (oldValues, newValues) = (old.variables.all, new.variables.all)
        let keys = oldValues.map(\.key) + newValues.map(\.key).filter { key in !oldValues.contains { $0.key == key } }
        return keys.compactMap { key in
            let (old, new) = (old.variables[key], new.variables[key])
            guard old != new else { return nil }
            return VariableChange(
                key: key, old: old.map { ($0.jsonValue ?? .null).compactText },
                new: new.map { ($0.jsonValue ?? .null).compactText })
        }
    }
}

/// The ways in which a user's decisions for a flag differ. One change may be of several kinds.
package struct ChangeKinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user is in the same experiment, by its id, with another variation id.
    package static let crossing = ChangeKinds(rawValue: 1 << 0)
    /// The user is in an experiment that the earlier decision was not in.
    package static let entering = ChangeKinds(rawValue: 1 << 1)
    /// The user is no longer in the experiment.
    package static let leaving = ChangeKinds(rawValue: 1 << 2)
    /// The key of the variation differs. If a datafile lacks the flag: the flag is on in the other one.
    package static let variation = ChangeKinds(rawValue: 1 << 3)
    /// The variation has the same key, but is on instead of off, off instead of on, or has other variables.
    package static let values = ChangeKinds(rawValue: 1 << 4)
    /// The variation has the same key, but comes from another rule.
    package static let rule = ChangeKinds(rawValue: 1 << 5)
    /// The user's stored assignment was kept, and is not any more.
    package static let lostAssignment = ChangeKinds(rawValue: 1 << 6)

    /// Changes that a user can see, and changes of the arm.
    package static let moved: ChangeKinds = [.crossing, .variation, .values]

    /// All kinds by their names in JSON, in the order of reports.
    package static let named: [(name: String, kind: ChangeKinds)] = [
        ("crossing", .crossing), ("entering", .entering), ("leaving", .leaving), ("variation", .variation),
        ("values", .values), ("rule", .rule), ("lostAssignment", .lostAssignment),
    ]

    /// The names of the kinds.
    package var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}
