public import Foundation
import TurnoutEngine

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

// Messages in decision reasons come from the engine, so that both always match. Messages of thrown errors are worded as
// in the vendor's client where programs may compare them.

extension OptimizelyError {
    /// The message without a prefix, as in the reasons of a decision.
    package var reason: String {
        decisionText ?? audienceText ?? unavailableText ?? keyText ?? userText ?? serviceText ?? "Unknown reason."
    }

    private var decisionText: String? {
        switch self {
        case .sdkNotReady: Reason.notReady.description
        case .featureKeyInvalid(let key): Reason.flagNotFound(flag: key).description
        case .variableValueInvalid(let key): Reason.invalidVariable(variable: key).description
        case .invalidJSONVariable: Reason.invalidVariables.description
        case .experimentHasNoTrafficAllocation(let key): Reason.ruleWithoutTraffic(rule: key).description
        case .groupHasNoTrafficAllocation(let id): Reason.groupWithoutTraffic(group: id).description
        case .rolloutIdInvalid(let id, let flag): Reason.unknownRollout(rollout: id, flag: flag).description
        default: nil
        }
    }

    private var audienceText: String? {
        switch self {
        case .conditionNoMatchingAudience(let id): UnknownCause.missingAudience(id)
        case .conditionInvalidFormat(let hint): UnknownCause.invalidFormat(hint)
        case .conditionCannotBeEvaluated(let hint): "Condition cannot be evaluated (\(hint))."
        case .attributeFormatInvalid: UnknownCause.malformedVersion.sentence(condition: "")
        case .evaluateAttributeInvalidFormat(let hint): "Attribute has an invalid format (\(hint))."
        default: nil
        }
    }

    private var unavailableText: String? {
        switch self {
        case .evaluateAttributeInvalidCondition(let condition):
            UnknownCause.unsupportedConditionValue.sentence(condition: condition)
        case .evaluateAttributeInvalidType(let condition, let value, let key):
            UnknownCause.wrongAttributeType.sentence(condition: condition, attribute: key, value: "\(value)")
        case .evaluateAttributeValueOutOfRange(let condition, let key):
            UnknownCause.numberOutOfRange.sentence(condition: condition, attribute: key)
        case .userAttributeInvalidType(let condition): UnknownCause.unknownConditionType.sentence(condition: condition)
        case .userAttributeInvalidMatch(let condition): UnknownCause.unknownMatchType.sentence(condition: condition)
        case .userAttributeNilValue(let condition): UnknownCause.nullConditionValue.sentence(condition: condition)
        case .userAttributeInvalidName(let condition): UnknownCause.missingAttributeName.sentence(condition: condition)
        case .nilAttributeValue(let condition, let key):
            UnknownCause.nullAttribute.sentence(condition: condition, attribute: key)
        case .missingAttributeValue(let condition, let key):
            UnknownCause.missingAttribute.sentence(condition: condition, attribute: key)
        default: nil
        }
    }

    private var keyText: String? {
        switch self {
        case .experimentKeyInvalid(let key):
            "Experiment key (\(key)) is not in datafile. It is either invalid, paused, or archived."
        case .experimentIdInvalid(let id): "No experiment has the id \"\(id)\"."
        case .variationKeyInvalid(let experiment, let key):
            "Experiment \"\(experiment)\" has no variation with the key \"\(key)\"."
        case .variationIdInvalid(let experiment, let id):
            "Experiment \"\(experiment)\" has no variation with the id \"\(id)\"."
        case .variationUnknown(let user, let key):
            "User (\(user)) does not meet conditions to be in experiment/feature (\(key))."
        case .variableKeyInvalid(let key, let flag):
            "Variable with key (\(key)) associated with feature with key (\(flag)) is not in datafile."
        case .eventKeyInvalid(let key): "No event has the key \"\(key)\"."
        case .attributesKeyInvalid(let key): "No attribute has the key \"\(key)\"."
        case .attributeValueInvalid(let key): "The value of attribute \"\(key)\" cannot be used."
        case .groupIdInvalid(let id): "No group has the id \"\(id)\"."
        case .eventBuildFailure(let key): "The payload of event \"\(key)\" could not be created."
        case .eventTagsFormatInvalid: "The tags of the event are malformed."
        default: nil
        }
    }

    private var userText: String? {
        switch self {
        case .userIdInvalid: "Provided user ID is in an invalid format."
        case .bucketingIdInvalid(let id): "Invalid bucketing ID (\(id))."
        case .userProfileInvalid: "Provided user profile object is invalid."
        default: nil
        }
    }

    private var serviceText: String? {
        switch self {
        case .datafileDownloadFailed(let hint): "The datafile could not be downloaded (\(hint))."
        case .dataFileInvalid: "Provided datafile is in an invalid format."
        case .dataFileVersionInvalid(let version): DatafileError.unsupportedVersion(version).compatibleText
        case .datafileSavingFailed(let hint): "The datafile could not be stored (\(hint))."
        case .datafileLoadingFailed(let hint): "There is no datafile, neither downloaded nor stored (\(hint))."
        case .eventDispatchFailed(let reason): "The event could not be sent (\(reason))."
        case .eventDispatcherConfigError(let reason): "The settings of the event dispatcher are wrong (\(reason))."
        case .invalidSegmentIdentifier: "Segments could not be fetched: the service does not know the user."
        case .fetchSegmentsFailed(let hint): "Segments could not be fetched (\(hint))."
        case .odpEventFailed(let hint, _): "The ODP event could not be sent (\(hint))."
        case .odpNotIntegrated: "The project is not integrated with ODP."
        case .odpNotEnabled: "ODP is switched off."
        case .odpInvalidData: "The data of the ODP event contains a value of an unsupported type."
        case .odpInvalidAction: "The ODP event has no action."
        default: nil
        }
    }
}
