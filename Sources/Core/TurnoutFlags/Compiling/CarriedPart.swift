package import TurnoutEngine

/// A part of a project that says something in the form of datafiles, which only clients interpret.
package struct CarriedPart: Sendable, Equatable {
    /// How messages name it: `experiment checkout_ab of flag checkout`.
    package let name: String
    /// The environment whose rules have it; nil if all have.
    package let environment: String?
    /// The members of `datafile`, and as `condition` those conditions of the part that have the form of datafiles.
    package let members: [String: JSONValue]
    /// Its path in the lock, or nil if it has none.
    let path: EntityPath?
    let origin: SourceOrigin
    let ignoredFindings: [IgnoredFinding]
    /// The members that change no decision.
    fileprivate let idleMembers: [String]

    /// The members that decide something and are not checked. Ids and names only identify the part.
    package var uncheckedMembers: [String] {
        members.keys.filter { key in
            !key.hasPrefix("_") && !(idleMembers + ["id", "key", "name", "layerId"]).contains(key)
        }.sorted()
    }
}

extension AuthoredProject {
    /// The parts with members in the form of datafiles, in the order of the file.
    package var carriedParts: [CarriedPart] {
        var list = CarriedParts(environment: nil, pathEnvironment: environments.first?.key ?? "")
        list.add("the project", nil, verbatim, idle: ["projectId", "variables"], origin, ignoredFindings)
        for part in attributes {
            list.add("attribute \(part.key)", EntityPath(.attribute, part.key), part)
        }
        for part in events {
            list.add("event \(part.key)", EntityPath(.event, part.key), part, idle: ["experimentIds"])
        }
        for part in audiences {
            list.add("audience \(part.key)", EntityPath(.audience, part.key), part, part.condition)
        }
        for flag in flags { list.add(flag) }
        for experiment in experiments { list.add(experiment, ofFlag: nil) }
        for part in groups {
            list.add("group \(part.key)", EntityPath(.group, list.pathEnvironment, part.key), part)
        }
        for part in holdouts {
            let (name, keys) = ("holdout \(part.key)", [list.pathEnvironment, part.key])
            list.add(name, EntityPath(.holdout, keys), part, part.audience)
            list.add(part.variations, of: name, keys, part.ignoredFindings)
        }
        return list.parts
    }
}

private struct CarriedParts {
    var environment: String?
    var pathEnvironment: String
    private(set) var parts: [CarriedPart] = []

    mutating func add(
        _ name: String, _ path: EntityPath?, _ members: [String: JSONValue], idle: [String] = [],
        _ origin: SourceOrigin, _ ignored: [IgnoredFinding], _ condition: AuthoredCondition? = nil
    ) {
        var members = members
        let conditions = condition?.verbatimValues ?? []
        if !conditions.isEmpty { members["condition"] = .array(conditions) }
        guard !members.isEmpty else { return }
        parts.append(
            CarriedPart(
                name: name, environment: environment, members: members, path: path, origin: origin,
                ignoredFindings: ignored, idleMembers: idle))
    }

    mutating func add(
        _ name: String, _ path: EntityPath, _ part: some AuthoredPart, idle: [String] = [],
        _ condition: AuthoredCondition? = nil
    ) {
        add(name, path, part.verbatim, idle: idle, part.origin, part.ignoredFindings, condition)
    }

    mutating func add(_ flag: AuthoredFlag) {
        let (name, ignored) = ("flag \(flag.key)", flag.ignoredFindings)
        add(name, EntityPath(.flag, flag.key), flag, idle: ["groupId"])
        for part in flag.variables {
            let path = EntityPath(.variable, flag.key, part.key)
            add("variable \(part.key) of \(name)", path, part.verbatim, part.origin, ignored)
        }
        add(flag.variations, of: name, [flag.key], ignored)
        add(flag.rules, of: flag)
        let first = pathEnvironment
        for (key, rules) in flag.rulesByEnvironment.sorted(by: { $0.key < $1.key }) {
            (environment, pathEnvironment) = (key, key)
            add(rules, of: flag)
        }
        (environment, pathEnvironment) = (nil, first)
    }

    private mutating func add(_ rules: AuthoredRules, of flag: AuthoredFlag) {
        for experiment in rules.experiments { add(experiment, ofFlag: flag.key) }
        let idle = ["status", "type", "forcedVariations"]
        for part in rules.deliveries {
            let (name, keys) = (part.name(in: flag), [pathEnvironment, flag.key, part.key])
            add(name, EntityPath(.rule, keys), part, idle: idle, part.audience)
            add(part.variations, of: name, keys, part.ignoredFindings)
        }
        if let part = rules.everyoneElse {
            let path = EntityPath(.rule, pathEnvironment, flag.key, "")
            let name = "everyone else of flag \(flag.key)"
            add(name, path, part.verbatim, idle: idle, part.origin, flag.ignoredFindings)
        }
        let path = EntityPath(.rollout, pathEnvironment, flag.key)
        add("rollout of flag \(flag.key)", path, rules.verbatim, rules.origin, flag.ignoredFindings)
    }

    mutating func add(_ part: AuthoredExperiment, ofFlag flag: String?) {
        let name = "experiment \(part.key)" + (flag.map { " of flag \($0)" } ?? "")
        let keys = [pathEnvironment, flag ?? "", part.key]
        add(name, EntityPath(.rule, keys), part, part.audience)
        add(part.variations, of: name, keys, part.ignoredFindings)
    }

    mutating func add(
        _ variations: [AuthoredVariation], of name: String, _ keys: [String], _ ignored: [IgnoredFinding]
    ) {
        for part in variations {
            let path = EntityPath(.variation, keys + [part.key])
            add("variation \(part.key) of \(name)", path, part.verbatim, part.origin, ignored)
        }
    }
}
