import Foundation
import TurnoutEngine

/// A group of experiments.
public final class OPTLYGroup: NSObject {
    /// Its id, and its policy: with `random` a user takes part in at most one experiment, with `overlapping` in any
    /// number.
    public let groupId, policy: String
    /// The distribution of users over the experiments.
    public let trafficAllocations: [OPTLYTrafficAllocation]
    /// The experiments.
    public let experiments: [OPTLYExperiment]

    init(_ group: ExperimentGroup) {
        (groupId, policy) = (group.id, group.isExclusive ? "random" : "overlapping")
        trafficAllocations = group.traffic.map { OPTLYTrafficAllocation($0) }
        experiments = group.experiments.map { OPTLYExperiment($0) }
    }
}

/// A conversion event.
public final class OPTLYEvent: NSObject {
    /// Its id and its key.
    public let eventId, eventKey: String
    /// The ids of the experiments that use it as a metric.
    public let experimentIds: [String]

    init(_ event: Event) { (eventId, eventKey, experimentIds) = (event.id, event.key, event.experimentIDs) }
}

/// An audience.
public final class OPTLYAudience: NSObject {
    /// Its id, its name, and its conditions as JSON.
    public let audienceId, audienceName, conditions: String

    init(_ audience: Audience) {
        (audienceId, audienceName, conditions) = (audience.id, audience.name, audience.conditionsText)
    }
}

/// A user attribute.
public final class OPTLYAttribute: NSObject {
    /// Its id and its key.
    public let attributeId, attributeKey: String

    init(_ attribute: (id: String, key: String)) { (attributeId, attributeKey) = attribute }
}
