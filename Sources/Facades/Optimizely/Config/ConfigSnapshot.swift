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

/// Derives an ``OptimizelyConfig`` from a project's flags and rules.
struct ConfigDerivation {
    private let project: Project
    /// The first flag that uses an experiment, by the experiment's id.
    private let flagsByExperiment: [String: Flag]
    /// The first flag that uses a rollout, by the rollout's id.
    private let flagsByRollout: [String: Flag]

    init(_ project: Project) {
        self.project = project
        let flags = project.flags
        flagsByExperiment = Dictionary(
            flags.flatMap { flag in flag.experimentIDs.map { ($0, flag) } }, uniquingKeysWith: { first, _ in first })
        flagsByRollout = Dictionary(
            flags.map { ($0.rolloutID.trimmingBlanks, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Rules

    /// The experiments by key; if several have one key, the last one.
    func experiments(_ warn: (String) -> Void) -> [String: any OptimizelyExperiment] {
        var experiments: [String: any OptimizelyExperiment] = [:]
        for rule in project.experiments
        where experiments.updateValue(experiment(rule), forKey: rule.key) != nil {
            warn("Several experiments have the key \"\(rule.key)\"; the last one is listed.")
        }
        return experiments
    }

    private func experiment(_ rule: Rule) -> any OptimizelyExperiment {
        snapshot(rule, of: flagsByExperiment[rule.id])
    }

    private func snapshot(_ rule: Rule, of flag: Flag?) -> any OptimizelyExperiment {
        let variables = flag?.variables ?? []
        let variations = rule.variations.map { variation in (variation.key, snapshot(variation, of: variables)) }
        return ExperimentSnapshot(
            id: rule.id, key: rule.key, audiences: rule.audienceExpression,
            variationsMap: Dictionary(variations, uniquingKeysWith: { $1 }))
    }

    private func snapshot(_ variation: Variation, of variables: [Variable]) -> any OptimizelyVariation {
        // Users in a variation that is off get the default values.
        let overrides = variation.isEnabled ? variation.overrides : []
        let values = Dictionary(overrides.map { ($0.variableID, $0.value) }, uniquingKeysWith: { first, _ in first })
        let entries = variables.filter { !$0.key.isEmpty }.map { variable in
            (variable.key, snapshot(variable, value: values[variable.id]))
        }
        return VariationSnapshot(
            id: variation.id, key: variation.key, featureEnabled: variation.featureEnabled,
            variablesMap: Dictionary(entries, uniquingKeysWith: { $1 }))
    }

    private func snapshot(_ variable: Variable, value: String? = nil) -> any OptimizelyVariable {
        VariableSnapshot(
            id: variable.id, key: variable.key, type: variable.typeName, value: value ?? variable.defaultValue)
    }

    // MARK: Flags

    /// The flags by key; if several have one key, the last one.
    var features: [String: any OptimizelyFeature] {
        Dictionary(project.flags.map { ($0.key, feature($0)) }, uniquingKeysWith: { $1 })
    }

    private func feature(_ flag: Flag) -> any OptimizelyFeature {
        let owner = flagsByRollout[flag.rolloutID.trimmingBlanks]
        return FeatureSnapshot(
            id: flag.id, key: flag.key, experimentRules: flag.experiments.map(experiment),
            deliveryRules: flag.rolloutRules.map { snapshot($0, of: owner) },
            variablesMap: Dictionary(flag.variables.map { ($0.key, snapshot($0)) }, uniquingKeysWith: { $1 }))
    }

    // MARK: Audiences

    /// The typed audiences, then the other audiences with new ids. The vendor's placeholder audience for old clients is
    /// left out.
    var audiences: [any OptimizelyAudience] {
        let typed = project.typedAudiences
        let ids = Set(typed.map(\.id))
        let others = project.legacyAudiences.filter { !ids.contains($0.id) && $0.id != "$opt_dummy_audience" }
        return (typed + others).map {
            AudienceSnapshot(id: $0.id, name: $0.name, conditions: $0.conditionsText)
        }
    }
}
