import Foundation
import TurnoutEngine

// @unchecked Sendable because nothing in it changes.
/// A feature.
public final class OPTLYFeatureFlag: NSObject, @unchecked Sendable {
    private let flag: Flag

    init(_ flag: Flag) { self.flag = flag }

    /// The feature's id.
    public var flagId: String { flag.id }
    /// The feature's key.
    public var key: String { flag.key }
    /// The id of its rollout; empty: it has none.
    public var rolloutId: String { flag.rolloutID }
    /// The ids of its experiments.
    public var experimentIds: [String] { flag.experimentIDs }
    /// Its variables.
    public var variables: [OPTLYFeatureVariable] { flag.variables.map { OPTLYFeatureVariable($0) } }
}

/// A variable of a feature.
public final class OPTLYFeatureVariable: NSObject, Sendable {
    /// The variable's id.
    public let variableId: String
    /// The variable's key.
    public let key: String
    /// The type: `boolean`, `double`, `integer` or `string`.
    public let type: String
    /// The value where no variation says otherwise, as text.
    public let defaultValue: String

    init(_ variable: Variable) {
        (variableId, key) = (variable.id, variable.key)
        (type, defaultValue) = (variable.typeName, variable.defaultValue)
    }
}

// @unchecked Sendable because nothing in it changes.
/// To whom features are given without an experiment.
public final class OPTLYRollout: NSObject, @unchecked Sendable {
    /// The rollout's id.
    public let rolloutId: String
    /// Its rules, in order.
    public let experiments: [OPTLYExperiment]

    init(_ id: String, _ rules: [Rule]) { (rolloutId, experiments) = (id, rules.map { OPTLYExperiment($0) }) }
}
