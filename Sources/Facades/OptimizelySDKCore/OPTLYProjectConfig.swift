import Foundation
import TurnoutEngine

// @unchecked Sendable because it is immutable.
/// The contents of a client's datafile.
public final class OPTLYProjectConfig: NSObject, @unchecked Sendable {
    private let project: Project
    /// The client name in events.
    public let clientEngine: String
    /// The client version in events.
    public let clientVersion: String

    init(_ project: Project, clientEngine: String, clientVersion: String) {
        (self.project, self.clientEngine, self.clientVersion) = (project, clientEngine, clientVersion)
    }

    /// The id of the account.
    public var accountId: String { project.accountID }
    /// The id of the project.
    public var projectId: String { project.projectID }
    /// The datafile format version: 2, 3 or 4.
    public var version: String { project.version }
    /// The revision of the datafile.
    public var revision: String { project.revision }
    /// Whether events ask the receiver to discard IP addresses.
    public var anonymizeIP: Bool { project.anonymizesIP }
    /// Whether events ask the receiver to filter bots; nil if the datafile does not say.
    public var botFiltering: Bool? { project.botFiltering }

    /// The experiments outside of groups.
    public var experiments: [OPTLYExperiment] {
        project.experiments.filter { $0.group == nil }.map { OPTLYExperiment($0) }
    }
    /// All experiments.
    public var allExperiments: [OPTLYExperiment]? { project.experiments.map { OPTLYExperiment($0) } }
    /// The groups of experiments.
    public var groups: [OPTLYGroup] { project.groups.map { OPTLYGroup($0) } }
    /// The events.
    public var events: [OPTLYEvent] { project.events.map { OPTLYEvent($0) } }
    /// The audiences.
    public var audiences: [OPTLYAudience] { project.audiences.map { OPTLYAudience($0) } }
    /// The attributes.
    public var attributes: [OPTLYAttribute] { project.declaredAttributes.map { OPTLYAttribute($0) } }
    /// The features.
    public var featureFlags: [OPTLYFeatureFlag] { project.flags.map { OPTLYFeatureFlag($0) } }
    /// The rollouts of the features.
    public var rollouts: [OPTLYRollout] {
        var ids: Set<String> = [""]
        return project.flags.filter { ids.insert($0.rolloutID).inserted }
            .map { OPTLYRollout($0.rolloutID, $0.rolloutRules) }
    }

    // MARK: Lookup

    /// Returns the experiment with a key, or nil if there is none.
    public func getExperimentForKey(_ key: String) -> OPTLYExperiment? {
        project.experiment(key).map { OPTLYExperiment($0) }
    }
    /// Returns the experiment with an id, or nil if there is none.
    public func getExperimentForId(_ id: String) -> OPTLYExperiment? { allExperiments?.first { $0.experimentId == id } }
    /// Returns the id of the experiment with a key, or nil if there is none.
    public func getExperimentId(forKey key: String) -> String? { project.experiment(key)?.id }
    /// Returns the group with an id, or nil if there is none.
    public func getGroupForGroupId(_ id: String) -> OPTLYGroup? { groups.first { $0.groupId == id } }
    /// Returns the feature with a key, or nil if there is none.
    public func getFeatureFlag(forKey key: String) -> OPTLYFeatureFlag? {
        project.flag(key).map { OPTLYFeatureFlag($0) }
    }
    /// Returns the rollout with an id, or nil if there is none.
    public func getRolloutForId(_ id: String) -> OPTLYRollout? { rollouts.first { $0.rolloutId == id } }
    /// Returns the event with a key, or nil if there is none.
    public func getEventForKey(_ key: String) -> OPTLYEvent? { project.event(key).map { OPTLYEvent($0) } }
    /// Returns the id of the event with a key, or nil if there is none.
    public func getEventId(forKey key: String) -> String? { project.event(key)?.id }
    /// Returns the attribute with a key, or nil if there is none.
    public func getAttributeForKey(_ key: String) -> OPTLYAttribute? { attributes.first { $0.attributeKey == key } }
    /// Returns the id of the attribute with a key, or nil if there is none.
    public func getAttributeId(forKey key: String) -> String? { getAttributeForKey(key)?.attributeId }
    /// Returns the audience with an id, or nil if there is none.
    public func getAudienceForId(_ id: String) -> OPTLYAudience? { audiences.first { $0.audienceId == id } }
    /// Returns whether a feature uses the experiment with an id.
    public func isFeatureExperiment(_ id: String) -> Bool {
        getExperimentForId(id).map { project.isFeatureExperiment($0.rule) } ?? false
    }
}

/// A feature.
public final class OPTLYFeatureFlag: NSObject {
    /// Its id, its key, and the id of its rollout, which is empty if it has none.
    public let flagId, key, rolloutId: String
    /// The ids of its experiments.
    public let experimentIds: [String]
    /// Its variables.
    public let variables: [OPTLYFeatureVariable]

    init(_ flag: Flag) {
        (flagId, key, rolloutId, experimentIds) = (flag.id, flag.key, flag.rolloutID, flag.experimentIDs)
        variables = flag.variables.map { OPTLYFeatureVariable($0) }
    }
}

/// A variable of a feature.
public final class OPTLYFeatureVariable: NSObject {
    /// Its id, its key, its type (`boolean`, `double`, `integer` or `string`), and its default value as a string.
    public let variableId, key, type, defaultValue: String

    init(_ variable: Variable) {
        (variableId, key) = (variable.id, variable.key)
        (type, defaultValue) = (variable.typeName, variable.defaultValue)
    }
}

/// A feature's rollout: rules that apply without an experiment.
public final class OPTLYRollout: NSObject {
    /// Its id.
    public let rolloutId: String
    /// Its rules, in the order in which they are evaluated.
    public let experiments: [OPTLYExperiment]

    init(_ id: String, _ rules: [Rule]) { (rolloutId, experiments) = (id, rules.map { OPTLYExperiment($0) }) }
}

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
