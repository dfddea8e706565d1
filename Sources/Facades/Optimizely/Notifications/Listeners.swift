public import Foundation

/// An experiment in a notification: its `key` and `id`.
public typealias OptimizelyExperimentData = [String: Any]

/// A variation in a notification: its `key` and `id`.
public typealias OptimizelyVariationData = [String: Any]

/// Receives the arguments of a notification as one element, an array.
public typealias GenericListener = (Any...) -> Void

/// Receives impressions: a user was given a variation, with the event that is sent (`url` and `body`).
public typealias ActivateListener = (
    _ experiment: OptimizelyExperimentData, _ userId: String, _ attributes: OptimizelyAttributes?,
    _ variation: OptimizelyVariationData, _ event: [String: Any]
) -> Void

/// Receives conversions, with the event that is sent (`url` and `body`).
public typealias TrackListener = (
    _ eventKey: String, _ userId: String, _ attributes: OptimizelyAttributes?, _ eventTags: [String: Any]?,
    _ event: [String: Any]
) -> Void

/// Receives decisions: the type (`flag`, `feature`, `ab-test` …) and the decision info.
public typealias DecisionListener = (
    _ type: String, _ userId: String, _ attributes: OptimizelyAttributes?, _ decisionInfo: [String: Any]
) -> Void

/// Receives the datafile that took effect.
public typealias DatafileChangeListener = (_ datafile: Data) -> Void

/// Receives event requests before each attempt: the URL and the payload.
public typealias LogEventListener = (_ url: String, _ event: [String: Any]) -> Void
