public import Foundation

/// An experiment in a notification: its `key` and `id`.
public typealias OptimizelyExperimentData = [String: Any]

/// A variation in a notification: its `key` and `id`.
public typealias OptimizelyVariationData = [String: Any]

/// Receives the arguments of a notification: one element, which is the list of them.
public typealias GenericListener = (Any...) -> Void

/// Is told that a user was given a variation, with the event that is sent (`url` and `body`).
public typealias ActivateListener = (
    _ experiment: OptimizelyExperimentData, _ userId: String, _ attributes: OptimizelyAttributes?,
    _ variation: OptimizelyVariationData, _ event: [String: Any]
) -> Void

/// Is told of a conversion, with the event that is sent (`url` and `body`).
public typealias TrackListener = (
    _ eventKey: String, _ userId: String, _ attributes: OptimizelyAttributes?, _ eventTags: [String: Any]?,
    _ event: [String: Any]
) -> Void

/// Is told of a decision: its type (`flag`, `feature`, `ab-test` …) and what was decided.
public typealias DecisionListener = (
    _ type: String, _ userId: String, _ attributes: OptimizelyAttributes?, _ decisionInfo: [String: Any]
) -> Void

/// Is told of a datafile that came into use.
public typealias DatafileChangeListener = (_ datafile: Data) -> Void

/// Is told of a batch of events on its way: the address and the payload.
public typealias LogEventListener = (_ url: String, _ event: [String: Any]) -> Void
