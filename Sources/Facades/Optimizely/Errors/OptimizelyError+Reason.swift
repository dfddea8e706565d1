import TurnoutEngine

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
