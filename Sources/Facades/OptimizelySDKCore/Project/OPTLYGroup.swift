import Foundation
import TurnoutEngine

// @unchecked Sendable because nothing in it changes.
/// Experiments of which each user sees at most one, or that only belong together.
public final class OPTLYGroup: NSObject, @unchecked Sendable {
    private let group: ExperimentGroup

    init(_ group: ExperimentGroup) { self.group = group }

    /// The group's id.
    public var groupId: String { group.id }
    /// `random`: each user sees at most one; `overlapping`: as many as there are.
    public var policy: String { group.isExclusive ? "random" : "overlapping" }
    /// How users are spread over the experiments.
    public var trafficAllocations: [OPTLYTrafficAllocation] { group.traffic.map { OPTLYTrafficAllocation($0) } }
    /// The experiments.
    public var experiments: [OPTLYExperiment] { group.experiments.map { OPTLYExperiment($0) } }
}

/// Something that users do and a project counts.
public final class OPTLYEvent: NSObject, Sendable {
    /// The event's id.
    public let eventId: String
    /// The event's key.
    public let eventKey: String
    /// The ids of the experiments that it is counted for.
    public let experimentIds: [String]

    init(_ event: Event) { (eventId, eventKey, experimentIds) = (event.id, event.key, event.experimentIDs) }
}

/// Some of the users.
public final class OPTLYAudience: NSObject, Sendable {
    /// The audience's id.
    public let audienceId: String
    /// The audience's name.
    public let audienceName: String
    /// Who belongs to it, as JSON.
    public let conditions: String

    init(_ audience: Audience) {
        (audienceId, audienceName, conditions) = (audience.id, audience.name, audience.conditionsText)
    }
}

/// Something that is known about users.
public final class OPTLYAttribute: NSObject, Sendable {
    /// The attribute's id.
    public let attributeId: String
    /// The attribute's key.
    public let attributeKey: String

    init(_ attribute: (id: String, key: String)) { (attributeId, attributeKey) = attribute }
}
