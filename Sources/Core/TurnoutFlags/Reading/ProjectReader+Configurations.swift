extension ProjectReader {
    mutating func configuration(_ entry: KeyedEntry) -> AuthoredConfiguration? {
        guard let members = members(of: entry, .configuration), check(named: entry) else { return nil }
        let experiments = keyed(required("experiments", in: members)) { $0.configuredExperiment($1) }
        var configuration = AuthoredConfiguration(key: entry.key, experiments: experiments)
        configuration.versions = keyed(members["versions"]) { reader, version in
            guard reader.check(named: version) else { return nil }
            return AuthoredConfiguration.Version(
                key: version.key, experiments: reader.keyed(version) { $0.configuredExperiment($1) })
        }
        return configuration
    }

    private mutating func configuredExperiment(_ entry: KeyedEntry) -> AuthoredConfiguration.Experiment? {
        guard let members = members(of: entry, .configuredExperiment),
            let variants = required("variants", in: members), check(entry.key, at: entry.keyRange.lowerBound)
        else { return nil }
        let weights = keyed(variants) { reader, variant in
            reader.check(variant.key, at: variant.keyRange.lowerBound)
                ? reader.weight(variant).map { (key: variant.key, weight: $0) } : nil
        }
        var experiment = AuthoredConfiguration.Experiment(key: entry.key, variants: weights)
        experiment.isSticky = boolean(members["sticky"]) ?? false
        experiment.countries = codes(members["countries"])
        experiment.languages = codes(members["languages"])
        return experiment
    }

    private mutating func codes(_ entry: KeyedEntry?) -> [String] {
        guard let entry else { return [] }
        return (strings(entry) ?? []).filter { check($0, at: entry.offset) }
    }

    /// Whether a text can be in a property list, whose XML has no form for control characters; otherwise it is
    /// reported.
    private mutating func check(_ text: String, at offset: Int) -> Bool {
        let isWritable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        if isWritable { return true }
        report(
            .wrongType, "\(quoted(text)) has a control character, which a configuration cannot contain",
            advice: "leave the character out", at: offset)
        return false
    }

    /// Whether a key can be a part of an address; otherwise it is reported.
    private mutating func check(named entry: KeyedEntry) -> Bool {
        guard !AuthoredConfiguration.isValid(entry.key) else { return true }
        report(
            .wrongType, "\(quoted(entry.key)) cannot be the name or the version of a configuration",
            advice: "use up to 100 letters, digits, \".\", \"_\" and \"-\"; the first is not a \".\"",
            at: entry.keyRange.lowerBound)
        return false
    }
}
