import Foundation
import TurnoutEngine

// @unchecked Sendable because nothing in it changes.
/// An experiment, or a rule of a rollout.
public final class OPTLYExperiment: NSObject, @unchecked Sendable {
    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// Its id.
    public var experimentId: String { rule.id }
    /// Its key.
    public var experimentKey: String { rule.key }
    /// The status, such as `Running`.
    public var status: String { rule.status.rawValue }
    /// The id of its layer, which events name.
    public var layerId: String { rule.layerID }
    /// The id of its group, or nil: it is in none.
    public var groupId: String? { rule.group?.id }
    /// The ids of its audiences. If the datafile has conditions besides, those decide.
    public var audienceIds: [String] { rule.audienceIDs }
    /// The variations.
    public var variations: [OPTLYVariation] { rule.variations.map { OPTLYVariation($0) } }
    /// How users are spread over the variations.
    public var trafficAllocations: [OPTLYTrafficAllocation] { rule.traffic.map { OPTLYTrafficAllocation($0) } }
    /// The keys of the variations that some users get, by user id.
    public var forcedVariations: [String: String] { Dictionary(rule.whitelist) { first, _ in first } }

    /// The variation with an id, or nil: there is none.
    public func getVariationForVariationId(_ variationId: String) -> OPTLYVariation? {
        variations.first { $0.variationId == variationId }
    }

    /// The variation with a key, or nil: there is none.
    public func getVariationForVariationKey(_ variationKey: String) -> OPTLYVariation? {
        variations.first { $0.variationKey == variationKey }
    }

    /// Whether users get variations.
    public func isExperimentRunning() -> Bool { rule.status == .running }
}

/// A part of the traffic.
public final class OPTLYTrafficAllocation: NSObject {
    /// The id of what it leads to; empty: nothing.
    public let entityId: String
    /// Where it ends, in ten thousandths; it begins where the one before ends.
    public let endOfRange: Int

    init(_ range: TrafficRange) { (entityId, endOfRange) = (range.entityID, range.buckets.upperBound) }
}
