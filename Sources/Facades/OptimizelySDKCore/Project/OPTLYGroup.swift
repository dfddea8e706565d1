import Foundation
import TurnoutEngine

/// Experiments of which each user sees at most one, or that only belong together.
public final class OPTLYGroup: NSObject {
    /// Its id, and its policy: with `random` each user sees at most one, with `overlapping` as many as there are.
    public let groupId, policy: String
    /// How users are spread over the experiments.
    public let trafficAllocations: [OPTLYTrafficAllocation]
    /// The experiments.
    public let experiments: [OPTLYExperiment]

    init(_ group: ExperimentGroup) {
        (groupId, policy) = (group.id, group.isExclusive ? "random" : "overlapping")
        trafficAllocations = group.traffic.map { OPTLYTrafficAllocation($0) }
        experiments = group.experiments.map { OPTLYExperiment($0) }
    }
}

/// Something that users do and a project counts.
public final class OPTLYEvent: NSObject {
    /// Its id and its key.
    public let eventId, eventKey: String
    /// The ids of the experiments that it is counted for.
    public let experimentIds: [String]

    init(_ event: Event) { (eventId, eventKey, experimentIds) = (event.id, event.key, event.experimentIDs) }
}

/// Some of the users.
public final class OPTLYAudience: NSObject {
    /// Its id, its name, and who belongs to it, as JSON.
    public let audienceId, audienceName, conditions: String

    init(_ audience: Audience) {
        (audienceId, audienceName, conditions) = (audience.id, audience.name, audience.conditionsText)
    }
}

/// Something that is known about users.
public final class OPTLYAttribute: NSObject {
    /// Its id and its key.
    public let attributeId, attributeKey: String

    init(_ attribute: (id: String, key: String)) { (attributeId, attributeKey) = attribute }
}
