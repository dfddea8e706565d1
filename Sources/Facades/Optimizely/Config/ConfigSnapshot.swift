package import TurnoutEngine

/// The implementation of ``OptimizelyConfig``, derived from a project.
package struct ConfigSnapshot: OptimizelyConfig {
    package let environmentKey: String
    package let sdkKey: String
    package let revision: String
    package let experimentsMap: [String: any OptimizelyExperiment]
    package let featuresMap: [String: any OptimizelyFeature]
    package let attributes: [any OptimizelyAttribute]
    package let audiences: [any OptimizelyAudience]
    package let events: [any OptimizelyEvent]

    /// Creates a snapshot of a project.
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - warn: Receives a message for each item that cannot be listed. Default: a closure that does nothing.
    /// - Complexity: O(*n* × *v*), where *n* is the size of the datafile and *v* the number of variables of a flag.
    package init(project: Project, warn: (String) -> Void = { _ in }) {
        let derivation = ConfigDerivation(project)
        environmentKey = project.environmentKey ?? ""
        sdkKey = project.sdkKey ?? ""
        revision = project.revision
        experimentsMap = derivation.experiments(warn)
        featuresMap = derivation.features
        attributes = project.declaredAttributes.map { AttributeSnapshot(id: $0.id, key: $0.key) }
        audiences = derivation.audiences
        events = project.events.map { EventSnapshot(id: $0.id, key: $0.key, experimentIds: $0.experimentIDs) }
    }
}

struct ExperimentSnapshot: OptimizelyExperiment {
    let id: String
    let key: String
    let audiences: String
    let variationsMap: [String: any OptimizelyVariation]
}

struct FeatureSnapshot: OptimizelyFeature {
    let id: String
    let key: String
    let experimentRules: [any OptimizelyExperiment]
    let deliveryRules: [any OptimizelyExperiment]
    let variablesMap: [String: any OptimizelyVariable]

    @available(*, deprecated, message: "Use experimentRules and deliveryRules.")
    var experimentsMap: [String: any OptimizelyExperiment] {
        Dictionary(experimentRules.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }
}

struct VariationSnapshot: OptimizelyVariation {
    let id: String
    let key: String
    let featureEnabled: Bool?
    let variablesMap: [String: any OptimizelyVariable]
}

struct VariableSnapshot: OptimizelyVariable {
    let id: String
    let key: String
    let type: String
    let value: String
}

struct AttributeSnapshot: OptimizelyAttribute {
    let id: String
    let key: String
}

struct AudienceSnapshot: OptimizelyAudience {
    let id: String
    let name: String
    let conditions: String
}

struct EventSnapshot: OptimizelyEvent {
    let id: String
    let key: String
    let experimentIds: [String]
}
