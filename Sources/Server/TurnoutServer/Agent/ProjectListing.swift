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
        writer.beginObject()
        writer.member("environmentKey", project.environmentKey ?? "")
        writer.member("sdkKey", project.sdkKey ?? "")
        writer.member("revision", project.revision)
        writer.key("experimentsMap")
        writer.map(project.experiments, by: \.key) { write($0, of: flags[$0.id], to: &$1) }
        writer.key("featuresMap")
        writer.map(project.flags, by: \.key) { write($0, to: &$1) }
        writer.key("attributes")
        writer.list(project.declaredAttributes) { attribute, writer in
            writer.member("id", attribute.id)
            writer.member("key", attribute.key)
        }
        writer.key("audiences")
        writer.list(audiences) { audience, writer in
            writer.member("id", audience.id)
            writer.member("name", audience.name)
            writer.member("conditions", audience.conditionsText)
        }
        writer.key("events")
        writer.list(project.events) { event, writer in
            writer.member("id", event.id)
            writer.member("key", event.key)
            writer.member("experimentIds", event.experimentIDs)
        }
        writer.endObject()
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
        writer.key("experimentRules")
        writer.list(flag.experiments) { write($0, of: flags[$0.id], to: &$1) }
        writer.key("deliveryRules")
        writer.list(flag.rolloutRules) { write($0, of: flag, to: &$1) }
        writer.key("variablesMap")
        writer.map(flag.variables, by: \.key) { write($0, $0.defaultValue, to: &$1) }
        writer.key("experimentsMap")
        writer.map(flag.experiments, by: \.key) { write($0, of: flags[$0.id], to: &$1) }
    }

    private func write(_ rule: Rule, of flag: Flag?, to writer: inout JSONWriter) {
        writer.member("id", rule.id)
        writer.member("key", rule.key)
        writer.member("audiences", rule.audienceExpression)
        writer.key("variationsMap")
        writer.map(rule.variations, by: \.key) { variation, writer in
            writer.member("id", variation.id)
            writer.member("key", variation.key)
            writer.member("featureEnabled", variation.isEnabled)
            // Users in a variation that is off get the default values.
            let values = Dictionary(
                variation.isEnabled ? variation.overrides.map { ($0.variableID, $0.value) } : [],
                uniquingKeysWith: { first, _ in first })
            writer.key("variablesMap")
            writer.map(flag?.variables ?? [], by: \.key) { write($0, values[$0.id] ?? $0.defaultValue, to: &$1) }
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
    /// Writes a list of objects.
    fileprivate mutating func list<Element>(_ elements: [Element], _ members: (Element, inout JSONWriter) -> Void) {
        beginArray()
        for element in elements {
            beginObject()
            members(element, &self)
            endObject()
        }
        endArray()
    }

    /// Writes an object of objects, sorted by key; of several elements with a key, the last one.
    fileprivate mutating func map<Element>(
        _ elements: [Element], by key: (Element) -> String, _ members: (Element, inout JSONWriter) -> Void
    ) {
        let byKey = Dictionary(elements.map { (key($0), $0) }, uniquingKeysWith: { $1 })
        beginObject()
        for (name, element) in byKey.sorted(by: { $0.key < $1.key }) {
            self.key(name)
            beginObject()
            members(element, &self)
            endObject()
        }
        endObject()
    }
}
