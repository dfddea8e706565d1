public import Foundation

// @unchecked Sendable because the one payload that may be anything is only ever turned into text.
/// What can go wrong, as it is thrown, logged and reported in the reasons of a decision.
///
/// The texts say the same in three ways: `description` and `localizedDescription` start with `[Optimizely][Error]`,
/// `errorDescription` does not.
public enum OptimizelyError: Error, @unchecked Sendable {
    /// The cause is not known.
    case generic

    // MARK: Keys and values
    /// There is no datafile yet.
    case sdkNotReady
    /// No flag has this key.
    case featureKeyInvalid(_ key: String)
    /// The value of a variable is not of its type.
    case variableValueInvalid(_ key: String)
    /// The variables of a flag cannot be written as JSON.
    case invalidJSONVariable
    /// No running experiment has this key.
    case experimentKeyInvalid(_ key: String)
    /// No experiment has this id.
    case experimentIdInvalid(_ id: String)
    /// The experiment gives nothing to anybody.
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
    /// The payload of an event could not be made.
    case eventBuildFailure(_ key: String)
    /// The tags of an event are malformed.
    case eventTagsFormatInvalid
    /// No attribute has this key.
    case attributesKeyInvalid(_ key: String)
    /// The value of an attribute cannot be used.
    case attributeValueInvalid(_ key: String)
    /// The attributes, or a version among them, are malformed.
    case attributeFormatInvalid
    /// No group has this id.
    case groupIdInvalid(_ id: String)
    /// The group gives nothing to anybody.
    case groupHasNoTrafficAllocation(_ key: String)
    /// A flag names a rollout that does not exist.
    case rolloutIdInvalid(_ id: String, _ feature: String)

    // MARK: Audiences
    /// No audience has this id.
    case conditionNoMatchingAudience(_ id: String)
    /// A tree of conditions is malformed.
    case conditionInvalidFormat(_ hint: String)
    /// A condition needs a datafile, and there is none.
    case conditionCannotBeEvaluated(_ hint: String)
    /// The value in a condition cannot be used with its match type.
    case evaluateAttributeInvalidCondition(_ condition: String)
    /// The user's value is of a type that cannot be compared.
    case evaluateAttributeInvalidType(_ condition: String, _ value: Any, _ key: String)
    /// The user's number is not within ±2^53.
    case evaluateAttributeValueOutOfRange(_ condition: String, _ key: String)
    /// The user's value is malformed.
    case evaluateAttributeInvalidFormat(_ hint: String)
    /// The type of a condition is not known.
    case userAttributeInvalidType(_ condition: String)
    /// The match type of a condition is not known.
    case userAttributeInvalidMatch(_ condition: String)
    /// A condition has no value.
    case userAttributeNilValue(_ condition: String)
    /// A condition names no attribute.
    case userAttributeInvalidName(_ condition: String)
    /// The user's value is null.
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
    /// The datafile is of a version that is not supported.
    case dataFileVersionInvalid(_ version: String)
    /// The datafile could not be stored.
    case datafileSavingFailed(_ hint: String)
    /// There is no datafile, neither downloaded nor stored.
    case datafileLoadingFailed(_ hint: String)
    /// An event could not be sent.
    case eventDispatchFailed(_ reason: String)
    /// The settings of the event dispatcher contradict each other.
    case eventDispatcherConfigError(_ reason: String)

    // MARK: Segments
    /// The service does not know the user.
    case invalidSegmentIdentifier
    /// The user's segments could not be fetched.
    case fetchSegmentsFailed(_ hint: String)
    /// An ODP event could not be sent; whether trying again may help.
    case odpEventFailed(_ hint: String, _ canRetry: Bool)
    /// The project does not work with ODP.
    case odpNotIntegrated
    /// ODP is switched off in the settings.
    case odpNotEnabled
    /// The data of an ODP event hold a value that is not allowed.
    case odpInvalidData
    /// An ODP event has no action.
    case odpInvalidAction
}

extension OptimizelyError: CustomStringConvertible, LocalizedError {
    /// The text with the prefix `[Optimizely][Error]`.
    public var description: String { "[Optimizely][Error] " + reason }

    /// The same as ``description``.
    ///
    /// Of a value known only as `any Error` this gives ``errorDescription``.
    public var localizedDescription: String { description }

    /// The text without a prefix.
    public var errorDescription: String? { reason }
}
