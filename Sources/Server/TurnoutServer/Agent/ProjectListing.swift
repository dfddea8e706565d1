import TurnoutEngine

/// The contents of a datafile as JSON, with the members of the vendor's `OptimizelyConfig`.
struct ProjectListing {
    private let project: Project
    /// The first flag that uses an experiment, by the experiment's id.
    private let flags: [String: Flag]

    init(_ project: Project) {
        self.project = project
        flags = Dictionary(
            project.flags.flatMap { flag in flag.experimentIDs.map { ($0, flag) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The JSON document.
    ///
    /// - Complexity: O(*n* × *v*), where *n* is the size of the datafile and *v* the number of variables of a flag.
    var json: [UInt8] {
        var writer = JSONWriter.go()
        writer.object {
            $0.member("environmentKey", project.environmentKey ?? "")
            $0.member("sdkKey", project.sdkKey ?? "")
            $0.member("revision", project.revision)
            $0.map("experimentsMap", project.experiments, by: \.key) { write($1, of: flags[$1.id], to: &$0) }
            $0.map("featuresMap", project.flags, by: \.key) { write($1, to: &$0) }
            $0.objects("attributes", project.declaredAttributes) { writer, attribute in
                writer.member("id", attribute.id)
                writer.member("key", attribute.key)
            }
            $0.objects("audiences", audiences) { writer, audience in
                writer.member("id", audience.id)
                writer.member("name", audience.name)
                writer.member("conditions", audience.conditionsText)
            }
            $0.objects("events", project.events) { writer, event in
                writer.member("id", event.id)
                writer.member("key", event.key)
                writer.member("experimentIds", event.experimentIDs)
            }
        }
        return writer.goDocument
    }

    /// The typed audiences, then the others with new ids; without the vendor's placeholder for old clients.
    private var audiences: [Audience] {
        let typed = project.typedAudiences
        let ids = Set(typed.map(\.id))
        let others = project.legacyAudiences.filter { !ids.contains($0.id) }
        return (typed + others).filter { $0.id != "$opt_dummy_audience" }
    }

    private func write(_ flag: Flag, to writer: inout JSONWriter) {
        writer.member("id", flag.id)
        writer.member("key", flag.key)
        writer.objects("experimentRules", flag.experiments) { write($1, of: flags[$1.id], to: &$0) }
        writer.objects("deliveryRules", flag.rolloutRules) { write($1, of: flag, to: &$0) }
        writer.map("variablesMap", flag.variables, by: \.key) { write($1, $1.defaultValue, to: &$0) }
        writer.map("experimentsMap", flag.experiments, by: \.key) { write($1, of: flags[$1.id], to: &$0) }
    }

    private func write(_ rule: Rule, of flag: Flag?, to writer: inout JSONWriter) {
        writer.member("id", rule.id)
        writer.member("key", rule.key)
        writer.member("audiences", rule.audienceExpression)
        writer.map("variationsMap", rule.variations, by: \.key) { writer, variation in
            writer.member("id", variation.id)
            writer.member("key", variation.key)
            writer.member("featureEnabled", variation.isEnabled)
            // Users in a variation that is off get the default values.
            let values = Dictionary(
                variation.isEnabled ? variation.overrides.map { ($0.variableID, $0.value) } : [],
                uniquingKeysWith: { first, _ in first })
            writer.map("variablesMap", flag?.variables ?? [], by: \.key) {
                write($1, values[$1.id] ?? $1.defaultValue, to: &$0)
            }
        }
    }

    private func write(_ variable: Variable, _ value: String, to writer: inout JSONWriter) {
        writer.member("id", variable.id)
        writer.member("key", variable.key)
        writer.member("type", variable.typeName)
        writer.member("value", value)
    }
}

extension JSONWriter {
    /// Writes a member with an object of objects, sorted by key; of several elements with a key, the last one.
    fileprivate mutating func map<Element>(
        _ name: String, _ elements: [Element], by key: (Element) -> String,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        let byKey = Dictionary(elements.map { (key($0), $0) }, uniquingKeysWith: { $1 })
        object(name) { writer in
            for (key, element) in byKey.sorted(by: { $0.key < $1.key }) {
                writer.object(key) { write(&$0, element) }
            }
        }
    }
}
