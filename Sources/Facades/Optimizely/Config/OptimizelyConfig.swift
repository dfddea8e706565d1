/// The contents of a datafile. An immutable snapshot: a newer datafile does not change it.
///
/// ``OptimizelyClient/getOptimizelyConfig()`` returns it. This library takes no value of this protocol, nor of those
/// below: conform types of your own only to test code that reads a configuration.
public protocol OptimizelyConfig {
    /// The key of the environment; empty if the datafile does not contain it.
    var environmentKey: String { get }
    /// The SDK key; empty if the datafile does not contain it.
    var sdkKey: String { get }
    /// The revision of the datafile.
    var revision: String { get }
    /// The experiments by key, without rollout rules and holdouts.
    var experimentsMap: [String: any OptimizelyExperiment] { get }
    /// The flags by key.
    var featuresMap: [String: any OptimizelyFeature] { get }
    /// The attributes that users can have.
    var attributes: [any OptimizelyAttribute] { get }
    /// The audiences.
    var audiences: [any OptimizelyAudience] { get }
    /// The conversion events.
    var events: [any OptimizelyEvent] { get }
}

/// An experiment, or a rollout rule of a flag.
public protocol OptimizelyExperiment {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The audience expression, such as `"Gold" AND ("Finland" OR "Sweden")`; empty if the rule applies to every user.
    var audiences: String { get }
    /// The variations by key.
    var variationsMap: [String: any OptimizelyVariation] { get }
}

/// A flag.
public protocol OptimizelyFeature {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The experiments, in the order in which they are evaluated.
    var experimentRules: [any OptimizelyExperiment] { get }
    /// The rollout rules, in the order in which they are evaluated.
    var deliveryRules: [any OptimizelyExperiment] { get }
    /// The variables with their default values, by key.
    var variablesMap: [String: any OptimizelyVariable] { get }
    /// The experiments by key.
    @available(*, deprecated, message: "Use experimentRules and deliveryRules.")
    var experimentsMap: [String: any OptimizelyExperiment] { get }
}

/// A variation of a rule.
public protocol OptimizelyVariation {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// Whether the flag is on; nil if the datafile does not say.
    var featureEnabled: Bool? { get }
    /// The flag's variables with the values of this variation, by key.
    var variablesMap: [String: any OptimizelyVariable] { get }
}

/// A variable of a flag, with a value.
public protocol OptimizelyVariable {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The type: `string`, `integer`, `double`, `boolean`, `json`, or any other string in the datafile.
    var type: String { get }
    /// The value as a string.
    var value: String { get }
}

/// An attribute that users can have.
public protocol OptimizelyAttribute {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
}

/// An audience.
public protocol OptimizelyAudience {
    /// The id.
    var id: String { get }
    /// The name.
    var name: String { get }
    /// The conditions as JSON.
    var conditions: String { get }
}

/// A conversion event.
public protocol OptimizelyEvent {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The ids of the experiments that use the event as a metric.
    var experimentIds: [String] { get }
}
