import Foundation
import TurnoutEngine

// @unchecked Sendable because it is immutable.
/// An experiment, or a rollout rule.
public final class OPTLYExperiment: NSObject, @unchecked Sendable {
    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// Its id.
    public var experimentId: String { rule.id }
    /// Its key.
    public var experimentKey: String { rule.key }
    /// The status, such as `Running`.
    public var status: String { rule.status.rawValue }
    /// The id of its layer, which events contain.
    public var layerId: String { rule.layerID }
    /// The id of its group, or nil if it belongs to none.
    public var groupId: String? { rule.group?.id }
    /// The ids of its audiences. If the datafile also has audience conditions, those take precedence.
    public var audienceIds: [String] { rule.audienceIDs }
    /// The variations.
    public var variations: [OPTLYVariation] { rule.variations.map { OPTLYVariation($0) } }
    /// The distribution of users over the variations.
    public var trafficAllocations: [OPTLYTrafficAllocation] { rule.traffic.map { OPTLYTrafficAllocation($0) } }
    /// The forced variations in the datafile: variation keys by user id.
    public var forcedVariations: [String: String] { Dictionary(rule.whitelist) { first, _ in first } }

    /// Returns the variation with an id, or nil if there is none.
    public func getVariationForVariationId(_ variationId: String) -> OPTLYVariation? {
        variations.first { $0.variationId == variationId }
    }

    /// Returns the variation with a key, or nil if there is none.
    public func getVariationForVariationKey(_ variationKey: String) -> OPTLYVariation? {
        variations.first { $0.variationKey == variationKey }
    }

    /// Returns whether the experiment's status is running.
    public func isExperimentRunning() -> Bool { rule.status == .running }
}

/// A range of the traffic allocation.
public final class OPTLYTrafficAllocation: NSObject {
    /// The id of the variation or experiment for the range; empty if there is none.
    public let entityId: String
    /// The end of the range, in ten-thousandths, exclusive; it begins where the previous range ends.
    public let endOfRange: Int

    init(_ range: TrafficRange) { (entityId, endOfRange) = (range.entityID, range.buckets.upperBound) }
}

// @unchecked Sendable because it is immutable.
/// A variation of an experiment or rollout rule.
public final class OPTLYVariation: NSObject, @unchecked Sendable {
    private let row: Variation

    init(_ row: Variation) { self.row = row }

    /// The variation's id.
    public var variationId: String { row.id }
    /// The variation's key.
    public var variationKey: String { row.key }
    /// Whether the feature is on in this variation.
    public var featureEnabled: Bool { row.isEnabled }
    /// The variables whose values override the feature's.
    public var variableUsageInstances: [OPTLYVariableUsage]? {
        row.overrides.map { OPTLYVariableUsage(variableId: $0.variableID, value: $0.value) }
    }

    /// Returns the override for a variable, or nil if there is none.
    public func getVariableUsage(forVariableId variableId: String) -> OPTLYVariableUsage? {
        variableUsageInstances?.first { $0.variableId == variableId }
    }

    /// Whether both have the same id and key.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OPTLYVariation else { return false }
        return variationId == other.variationId && variationKey == other.variationKey
    }

    /// A hash of the id.
    override public var hash: Int { variationId.hashValue }
}

/// A variation's value for a variable.
public final class OPTLYVariableUsage: NSObject {
    /// The variable's id, and the value as a string.
    public let variableId, value: String

    init(variableId: String, value: String) { (self.variableId, self.value) = (variableId, value) }
}
