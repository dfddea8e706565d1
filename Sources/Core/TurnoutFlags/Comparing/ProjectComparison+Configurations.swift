extension ProjectComparison {
    /// The changes of configurations for RolloutManager.
    var configurations: [ProjectChange] {
        PartPairs(old.configurations, new.configurations, key: \.key, formerKey: { _ in nil })
            .changes("configuration") {
                let (before, after) = (Self.experiments($0), Self.experiments($1))
                let keys = before.map(\.key) + after.map(\.key).filter { key in !before.contains { $0.key == key } }
                return keys.map { key in
                    Detail.changed(
                        key, before.first { $0.key == key }?.text ?? "none",
                        after.first { $0.key == key }?.text ?? "none")
                }
            }
    }

    /// The experiments of all versions, as texts.
    private static func experiments(_ configuration: AuthoredConfiguration) -> [(key: String, text: String)] {
        let own = configuration.experiments.map { (key: $0.key, text: text(of: $0)) }
        return configuration.versions.reduce(own) { all, version in
            all + version.experiments.map { (key: "\($0.key) in version \(version.key)", text: text(of: $0)) }
        }
    }

    private static func text(of experiment: AuthoredConfiguration.Experiment) -> String {
        let variants = experiment.variants.map { "\($0.key) \(Hundredths.text($0.weight))" }.joined(separator: ", ")
        let filters = [("countries", experiment.countries), ("languages", experiment.languages)]
            .filter { !$0.1.isEmpty }.map { "; \($0.0) \($0.1.joined(separator: ", "))" }.joined()
        return variants + filters + (experiment.isSticky ? "; sticky" : "")
    }
}
