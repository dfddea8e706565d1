import Foundation
import Optimizely

/// Every type name, written explicitly.
struct Aliases {
    let attributes: OptimizelyAttributes = ["plan": "gold", "age": nil]
    let spelledAttributes: [String: Any?] = OptimizelyAttributes()
    let tags: OptimizelyEventTags = ["revenue": 1299]
    let spelledTags: [String: Any] = OptimizelyEventTags()
    let experiment: OptimizelyExperimentData = ["key": "e"]
    let variation: OptimizelyVariationData = ["key": "v"]

    let decide: DecideCompletion = { (decision: OptimizelyDecision) in print(decision) }
    let decideForKeys: DecideForKeysCompletion = { (decisions: [String: OptimizelyDecision]) in print(decisions) }
    let download: DatafileDownloadCompletionHandler = { (result: OptimizelyResult<Data?>) in print(result) }
    let dispatch: DispatchCompletionHandler = { (result: OptimizelyResult<Data>) in print(result) }

    let generic: GenericListener = { (args: Any...) in print(args.count) }
    let activate: ActivateListener = {
        (
            experiment: OptimizelyExperimentData, userId: String, attributes: OptimizelyAttributes?,
            variation: OptimizelyVariationData, event: [String: Any]
        ) in
        print(experiment, userId, attributes as Any, variation, event)
    }
    let track: TrackListener = {
        (
            eventKey: String, userId: String, attributes: OptimizelyAttributes?, eventTags: [String: Any]?,
            event: [String: Any]
        ) in
        print(eventKey, userId, attributes as Any, eventTags as Any, event)
    }
    let decision: DecisionListener = {
        (type: String, userId: String, attributes: OptimizelyAttributes?, decisionInfo: [String: Any]) in
        print(type, userId, attributes as Any, decisionInfo)
    }
    let datafileChange: DatafileChangeListener = { (datafile: Data) in print(datafile.count) }
    let logEvent: LogEventListener = { (url: String, event: [String: Any]) in print(url, event) }

    let profile: OPTUserProfileService.UPProfile = ["user_id": "ada"]
    let bucketMap: OPTUserProfileService.UPBucketMap = ["1": ["variation_id": "11"]]
    let experimentMap: OPTUserProfileService.UPExperimentMap = ["variation_id": "11"]
    let profiles: DefaultUserProfileService.UserProfileData = ["ada": ["user_id": "ada"]]
}
