import Foundation
import TurnoutEngine

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
