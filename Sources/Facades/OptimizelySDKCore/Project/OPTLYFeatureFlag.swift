import Foundation
import TurnoutEngine

/// A feature.
public final class OPTLYFeatureFlag: NSObject {
    /// Its id, its key, and the id of its rollout, which is empty if it has none.
    public let flagId, key, rolloutId: String
    /// The ids of its experiments.
    public let experimentIds: [String]
    /// Its variables.
    public let variables: [OPTLYFeatureVariable]

    init(_ flag: Flag) {
        (flagId, key, rolloutId, experimentIds) = (flag.id, flag.key, flag.rolloutID, flag.experimentIDs)
        variables = flag.variables.map { OPTLYFeatureVariable($0) }
    }
}

/// A variable of a feature.
public final class OPTLYFeatureVariable: NSObject {
    /// Its id, its key, its type (`boolean`, `double`, `integer` or `string`), and its default value as a string.
    public let variableId, key, type, defaultValue: String

    init(_ variable: Variable) {
        (variableId, key) = (variable.id, variable.key)
        (type, defaultValue) = (variable.typeName, variable.defaultValue)
    }
}

/// A feature's rollout: rules that apply without an experiment.
public final class OPTLYRollout: NSObject {
    /// Its id.
    public let rolloutId: String
    /// Its rules, in the order in which they are evaluated.
    public let experiments: [OPTLYExperiment]

    init(_ id: String, _ rules: [Rule]) { (rolloutId, experiments) = (id, rules.map { OPTLYExperiment($0) }) }
}
