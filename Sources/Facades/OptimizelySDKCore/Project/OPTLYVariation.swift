import Foundation
import TurnoutEngine

// @unchecked Sendable because nothing in it changes.
/// One of the ways that an experiment or a rollout has for a user.
public final class OPTLYVariation: NSObject, @unchecked Sendable {
    private let row: Variation

    init(_ row: Variation) { self.row = row }

    /// The variation's id.
    public var variationId: String { row.id }
    /// The variation's key.
    public var variationKey: String { row.key }
    /// Whether the feature is on in it.
    public var featureEnabled: Bool { row.isEnabled }
    /// The variables that it gives another value than the feature does.
    public var variableUsageInstances: [OPTLYVariableUsage]? {
        row.overrides.map { OPTLYVariableUsage(variableId: $0.variableID, value: $0.value) }
    }

    /// What it says of a variable, or nil: nothing.
    public func getVariableUsage(forVariableId variableId: String) -> OPTLYVariableUsage? {
        variableUsageInstances?.first { $0.variableId == variableId }
    }

    /// Whether both have the same id and key.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OPTLYVariation else { return false }
        return variationId == other.variationId && variationKey == other.variationKey
    }

    /// The same for equal ones.
    override public var hash: Int { variationId.hashValue }
}

/// The value that a variation gives a variable.
public final class OPTLYVariableUsage: NSObject {
    /// The variable's id, and the value as text.
    public let variableId, value: String

    init(variableId: String, value: String) { (self.variableId, self.value) = (variableId, value) }
}
