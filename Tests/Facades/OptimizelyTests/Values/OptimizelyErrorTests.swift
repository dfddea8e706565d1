@Suite(.ownThread) struct OptimizelyErrorTests {
    private static let prefix = "[Optimizely][Error] "
    private static let upgrade = "You may need to upgrade to a newer release of the Optimizely SDK."

    @Test func textsThatDecisionsReportAreTheVendors() {
        let unknown = "Audience condition (C) evaluated to UNKNOWN because"
        let texts: [(OptimizelyError, String)] = [
            (.sdkNotReady, "Optimizely SDK not configured properly yet."),
            (.featureKeyInvalid("f"), "No flag was found for key \"f\"."),
            (.variableValueInvalid("v"), "Variable value for key \"v\" is invalid or wrong type."),
            (.invalidJSONVariable, "Invalid variables for OptimizelyJSON."), (.generic, "Unknown reason."),
            (.experimentHasNoTrafficAllocation("e"), "No traffic allocation rules are defined for experiment (e)."),
            (.groupHasNoTrafficAllocation("g"), "No traffic allocation rules are defined for group (g)."),
            (.rolloutIdInvalid("r", "f"), "Invalid rollout ID (r) attached to feature (f)."),
            (.conditionNoMatchingAudience("7"), "Audience (7) is not in datafile."),
            (.conditionInvalidFormat("h"), "Condition has an invalid format (h)."),
            (.attributeFormatInvalid, "Provided attributes are in an invalid format."),
            (.userAttributeInvalidType("C"), "Audience condition (C) uses an unknown condition type. \(Self.upgrade)"),
            (.userAttributeInvalidMatch("C"), "Audience condition (C) uses an unknown match type. \(Self.upgrade)"),
            (.userAttributeInvalidName("C"), "\(unknown) of invalid attribute name."),
            (.userAttributeNilValue("C"), "\(unknown) of null value."),
            (.nilAttributeValue("C", "k"), "\(unknown) a null value was passed for user attribute (k)."),
            (.missingAttributeValue("C", "k"), "\(unknown) no value was passed for user attribute (k)."),
            (
                .evaluateAttributeInvalidCondition("C"),
                "Audience condition (C) has an unsupported condition value. \(Self.upgrade)"
            ),
            (
                .evaluateAttributeInvalidType("C", 5, "k"),
                "\(unknown) a value of type (5) was passed for user attribute (k)."
            ),
            (
                .evaluateAttributeValueOutOfRange("C", "k"),
                "\(unknown) the number value for user attribute (k) is not in the range [-2^53, +2^53]."
            ),
            (.userIdInvalid, "Provided user ID is in an invalid format."),
            (.bucketingIdInvalid(3), "Invalid bucketing ID (3)."),
            (.userProfileInvalid, "Provided user profile object is invalid."),
        ]
        for (error, text) in texts { #expect(error.reason == text) }
    }

    @Test func textsOfOlderCallsAndOfStartingAreTheVendors() {
        let texts: [(OptimizelyError, String)] = [
            (.dataFileInvalid, "Provided datafile is in an invalid format."),
            (.dataFileVersionInvalid("5"), "Provided datafile version (5) is not supported."),
            (
                .experimentKeyInvalid("e"),
                "Experiment key (e) is not in datafile. It is either invalid, paused, or archived."
            ),
            (.variationUnknown("ada", "e"), "User (ada) does not meet conditions to be in experiment/feature (e)."),
            (
                .variableKeyInvalid("v", "f"),
                "Variable with key (v) associated with feature with key (f) is not in datafile."
            ),
        ]
        for (error, text) in texts { #expect(error.reason == text) }
    }

    @Test func otherTextsNameTheirSubject() {
        let errors: [OptimizelyError] = [
            .experimentKeyInvalid("<1>"), .experimentIdInvalid("<1>"), .variationKeyInvalid("<1>", "<2>"),
            .variationIdInvalid("<1>", "<2>"), .variationUnknown("<1>", "<2>"), .variableKeyInvalid("<1>", "<2>"),
            .eventKeyInvalid("<1>"), .eventBuildFailure("<1>"), .attributesKeyInvalid("<1>"),
            .attributeValueInvalid("<1>"), .groupIdInvalid("<1>"), .conditionCannotBeEvaluated("<1>"),
            .evaluateAttributeInvalidFormat("<1>"), .datafileDownloadFailed("<1>"), .dataFileVersionInvalid("<1>"),
            .datafileSavingFailed("<1>"), .datafileLoadingFailed("<1>"), .eventDispatchFailed("<1>"),
            .eventDispatcherConfigError("<1>"), .fetchSegmentsFailed("<1>"), .odpEventFailed("<1>", true),
        ]
        for error in errors {
            #expect(error.reason.contains("<1>") && error.reason.hasSuffix("."))
            #expect(error.reason.contains("<2>") == "\(error as Any)".contains("<2>"))
        }
        let plain: [OptimizelyError] = [
            .eventTagsFormatInvalid, .dataFileInvalid, .invalidSegmentIdentifier, .odpNotIntegrated, .odpNotEnabled,
            .odpInvalidData, .odpInvalidAction,
        ]
        #expect(Set((errors + plain).map(\.reason)).count == errors.count + plain.count)
        #expect(plain.allSatisfy { $0.reason != "Unknown reason." })
    }

    @Test func onlyDescriptionsHaveThePrefix() {
        let error = OptimizelyError.sdkNotReady
        #expect(error.description == Self.prefix + error.reason && "\(error)" == error.description)
        #expect(error.localizedDescription == error.description)
        #expect(error.errorDescription == error.reason)
        #expect((error as any Error).localizedDescription == error.reason)
    }

    @Test func textsAreThoseOfDecisions() throws {
        let project = try Project(datafile: Array(SmallDatafile().text.utf8))
        let decision = project.decide("nope", for: User("ada"))
        #expect(decision.reasons.map(\.description) == [OptimizelyError.featureKeyInvalid("nope").reason])
    }
}
