public import Foundation

// @unchecked Sendable because the one payload of type `Any` is only ever converted to a string.
/// An error of the client, as it is thrown, logged, and listed in the reasons of a decision.
///
/// The message has three forms: `description` and `localizedDescription` start with `[Optimizely][Error]`;
/// `errorDescription` has no prefix.
public enum OptimizelyError: Error, @unchecked Sendable {
    /// The cause is unknown.
    case generic

    // MARK: Keys and values
    /// The client has no datafile, or it has been released.
    case sdkNotReady
    /// No flag has this key.
    case featureKeyInvalid(_ key: String)
    /// The value of a variable does not match its type.
    case variableValueInvalid(_ key: String)
    /// The variables of a flag cannot be represented as JSON.
    case invalidJSONVariable
    /// No running experiment has this key.
    case experimentKeyInvalid(_ key: String)
    /// No experiment has this id.
    case experimentIdInvalid(_ id: String)
    /// The experiment has no traffic allocation.
    case experimentHasNoTrafficAllocation(_ key: String)
    /// The experiment has no variation with this key.
    case variationKeyInvalid(_ expKey: String, _ varKey: String)
    /// The experiment has no variation with this id.
    case variationIdInvalid(_ expKey: String, _ varKey: String)
    /// The user gets no variation of the experiment or flag.
    case variationUnknown(_ userId: String, _ key: String)
    /// The flag has no variable with this key.
    case variableKeyInvalid(_ varKey: String, _ feature: String)
    /// No event has this key.
    case eventKeyInvalid(_ key: String)
    /// The payload of an event could not be built.
    case eventBuildFailure(_ key: String)
    /// The tags of an event are malformed.
    case eventTagsFormatInvalid
    /// No attribute has this key.
    case attributesKeyInvalid(_ key: String)
    /// The value of an attribute is invalid.
    case attributeValueInvalid(_ key: String)
    /// The attributes, or a version among them, are malformed.
    case attributeFormatInvalid
    /// No group has this id.
    case groupIdInvalid(_ id: String)
    /// The group has no traffic allocation.
    case groupHasNoTrafficAllocation(_ key: String)
    /// A flag names a rollout that does not exist.
    case rolloutIdInvalid(_ id: String, _ feature: String)

    // MARK: Audiences
    /// No audience has this id.
    case conditionNoMatchingAudience(_ id: String)
    /// An audience's condition tree is malformed.
    case conditionInvalidFormat(_ hint: String)
    /// A condition cannot be evaluated without a datafile.
    case conditionCannotBeEvaluated(_ hint: String)
    /// The value in a condition is invalid for its match type.
    case evaluateAttributeInvalidCondition(_ condition: String)
    /// The user's attribute value has a type that cannot be compared.
    case evaluateAttributeInvalidType(_ condition: String, _ value: Any, _ key: String)
    /// The user's attribute value is a number outside ±2^53.
    case evaluateAttributeValueOutOfRange(_ condition: String, _ key: String)
    /// The user's attribute value is malformed.
    case evaluateAttributeInvalidFormat(_ hint: String)
    /// The type of a condition is unknown.
    case userAttributeInvalidType(_ condition: String)
    /// The match type of a condition is unknown.
    case userAttributeInvalidMatch(_ condition: String)
    /// A condition has no value.
    case userAttributeNilValue(_ condition: String)
    /// A condition names no attribute.
    case userAttributeInvalidName(_ condition: String)
    /// The user's attribute value is null.
    case nilAttributeValue(_ condition: String, _ key: String)
    /// The user has no such attribute.
    case missingAttributeValue(_ condition: String, _ key: String)

    // MARK: Users
    /// The user's id is malformed.
    case userIdInvalid
    /// The bucketing id is malformed.
    case bucketingIdInvalid(_ id: UInt64)
    /// The user's profile is malformed.
    case userProfileInvalid

    // MARK: Datafiles and events
    /// The datafile could not be downloaded.
    case datafileDownloadFailed(_ hint: String)
    /// The datafile is malformed.
    case dataFileInvalid
    /// The version of the datafile is not supported.
    case dataFileVersionInvalid(_ version: String)
    /// The datafile could not be stored.
    case datafileSavingFailed(_ hint: String)
    /// No datafile was downloaded and none is cached.
    case datafileLoadingFailed(_ hint: String)
    /// An event could not be sent.
    case eventDispatchFailed(_ reason: String)
    /// The settings of the event dispatcher contradict each other.
    case eventDispatcherConfigError(_ reason: String)

    // MARK: Segments
    /// ODP does not know the user.
    case invalidSegmentIdentifier
    /// The user's segments could not be fetched.
    case fetchSegmentsFailed(_ hint: String)
    /// An ODP event could not be sent. `canRetry` tells whether sending it again may succeed.
    case odpEventFailed(_ hint: String, _ canRetry: Bool)
    /// ODP is not integrated in the project.
    case odpNotIntegrated
    /// ODP is disabled in the settings.
    case odpNotEnabled
    /// The data of an ODP event contains a value of an unsupported type.
    case odpInvalidData
    /// An ODP event has no action.
    case odpInvalidAction
}

extension OptimizelyError: CustomStringConvertible, LocalizedError {
    /// The message with the prefix `[Optimizely][Error]`.
    public var description: String { "[Optimizely][Error] " + reason }

    /// The same as ``description``.
    ///
    /// On a value of static type `any Error`, this returns ``errorDescription`` instead.
    public var localizedDescription: String { description }

    /// The message without a prefix.
    public var errorDescription: String? { reason }
}

/// The result of an operation: a value or an error.
public enum OptimizelyResult<Value> {
    /// The operation succeeded.
    case success(Value)
    /// The operation failed.
    case failure(OptimizelyError)
}
