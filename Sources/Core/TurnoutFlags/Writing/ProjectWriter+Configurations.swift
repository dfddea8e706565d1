extension ProjectWriter {
    /// The configurations for RolloutManager; nil if there are none.
    static func configurations(_ configurations: [AuthoredConfiguration]) -> Node? {
        .nonEmpty(
            configurations.map { configuration in
                var mapping = Mapping(.configuration)
                mapping["experiments"] = experiments(configuration.experiments)
                mapping["versions"] = .nonEmpty(configuration.versions.map { ($0.key, experiments($0.experiments)) })
                return (configuration.key, mapping.node)
            })
    }

    private static func experiments(_ experiments: [AuthoredConfiguration.Experiment]) -> Node {
        .mapping(
            experiments.map { experiment in
                var mapping = Mapping(.configuredExperiment)
                if experiment.isSticky { mapping["sticky"] = .boolean(true) }
                mapping["countries"] = .names(experiment.countries)
                mapping["languages"] = .names(experiment.languages)
                mapping["variants"] = .mapping(experiment.variants.map { ($0.key, .plain(Hundredths.text($0.weight))) })
                return (experiment.key, mapping.node)
            })
    }
}
