import Foundation
import Optimizely

let errors: [OptimizelyError] = [
    .generic, .sdkNotReady, .featureKeyInvalid("f"), .variableValueInvalid("v"), .invalidJSONVariable,
    .experimentKeyInvalid("e"), .experimentIdInvalid("1"), .experimentHasNoTrafficAllocation("e"),
    .variationKeyInvalid("e", "v"), .variationIdInvalid("e", "1"), .variationUnknown("ada", "e"),
    .variableKeyInvalid("v", "f"), .eventKeyInvalid("e"), .eventBuildFailure("e"), .eventTagsFormatInvalid,
    .attributesKeyInvalid("a"), .attributeValueInvalid("a"), .attributeFormatInvalid, .groupIdInvalid("1"),
    .groupHasNoTrafficAllocation("g"), .rolloutIdInvalid("1", "f"), .conditionNoMatchingAudience("1"),
    .conditionInvalidFormat("hint"), .conditionCannotBeEvaluated("hint"), .evaluateAttributeInvalidCondition("c"),
    .evaluateAttributeInvalidType("c", 5, "a"), .evaluateAttributeValueOutOfRange("c", "a"),
    .evaluateAttributeInvalidFormat("hint"), .userAttributeInvalidType("c"), .userAttributeInvalidMatch("c"),
    .userAttributeNilValue("c"), .userAttributeInvalidName("c"), .nilAttributeValue("c", "a"),
    .missingAttributeValue("c", "a"), .userIdInvalid, .bucketingIdInvalid(UInt64.max), .userProfileInvalid,
    .datafileDownloadFailed("hint"), .dataFileInvalid, .dataFileVersionInvalid("5"), .datafileSavingFailed("hint"),
    .datafileLoadingFailed("hint"), .eventDispatchFailed("reason"), .eventDispatcherConfigError("reason"),
    .invalidSegmentIdentifier, .fetchSegmentsFailed("hint"), .odpEventFailed("hint", true), .odpNotIntegrated,
    .odpNotEnabled, .odpInvalidData, .odpInvalidAction,
]

func texts(_ error: OptimizelyError) {
    let described: any CustomStringConvertible = error
    let localized: any LocalizedError = error
    print(error.description, error.localizedDescription, error.errorDescription ?? "", "\(error)")
    print(described.description, localized.errorDescription as Any, (error as Error).localizedDescription)
}

func catching(_ client: OptimizelyClient) {
    do {
        try client.start(datafile: "")
    } catch OptimizelyError.dataFileInvalid {
        print("malformed")
    } catch OptimizelyError.dataFileVersionInvalid(let version) {
        print(version)
    } catch let error as OptimizelyError {
        print(error)
    } catch {
        print(error.localizedDescription)
    }
}
