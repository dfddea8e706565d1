/// What a datafile contains, for people who list it. A snapshot: a newer datafile does not change it.
public protocol OptimizelyConfig {
    /// The key of the environment, or empty: the datafile does not name it.
    var environmentKey: String { get }
    /// The SDK key in the datafile, or empty: the datafile does not name it.
    var sdkKey: String { get }
    /// The revision of the datafile.
    var revision: String { get }
    /// The experiments by key. Delivery rules and holdouts are none.
    var experimentsMap: [String: any OptimizelyExperiment] { get }
    /// The flags by key.
    var featuresMap: [String: any OptimizelyFeature] { get }
    /// The attributes that users can have.
    var attributes: [any OptimizelyAttribute] { get }
    /// The audiences.
    var audiences: [any OptimizelyAudience] { get }
    /// The conversions.
    var events: [any OptimizelyEvent] { get }
}

/// An experiment, or a delivery rule of a flag.
public protocol OptimizelyExperiment {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// Who it is for: `"Gold" AND ("Finland" OR "Sweden")`. Empty: everyone.
    var audiences: String { get }
    /// What users can get, by key.
    var variationsMap: [String: any OptimizelyVariation] { get }
}

/// A flag.
public protocol OptimizelyFeature {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The experiments, in the order in which they are tried.
    var experimentRules: [any OptimizelyExperiment] { get }
    /// The delivery rules, in the order in which they are tried.
    var deliveryRules: [any OptimizelyExperiment] { get }
    /// The variables with their default values, by key.
    var variablesMap: [String: any OptimizelyVariable] { get }
    /// The experiments by key.
    @available(*, deprecated, message: "Use experimentRules and deliveryRules.")
    var experimentsMap: [String: any OptimizelyExperiment] { get }
}

/// One of the things that a rule can give to a user.
public protocol OptimizelyVariation {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// Whether the flag is on, or nil: the datafile does not say.
    var featureEnabled: Bool? { get }
    /// The variables of the flag with the values that users of the variation get, by key.
    var variablesMap: [String: any OptimizelyVariable] { get }
}

/// A variable of a flag, with a value.
public protocol OptimizelyVariable {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The type: `string`, `integer`, `double`, `boolean`, `json`, or what else the datafile says.
    var type: String { get }
    /// The value as text.
    var value: String { get }
}

/// An attribute that users can have.
public protocol OptimizelyAttribute {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
}

/// A named set of users.
public protocol OptimizelyAudience {
    /// The id.
    var id: String { get }
    /// The name.
    var name: String { get }
    /// Who belongs to it: JSON.
    var conditions: String { get }
}

/// A conversion.
public protocol OptimizelyEvent {
    /// The id.
    var id: String { get }
    /// The key.
    var key: String { get }
    /// The ids of the experiments that it is a metric of.
    var experimentIds: [String] { get }
}
