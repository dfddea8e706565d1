import TurnoutEngine

extension ProjectReport {
    /// The members that `turnout inspect --help` explains.
    static func members(of project: Project, flagKeys: [String]) -> [String: JSONValue] {
        let wanted = Set(flagKeys)
        let flags = project.flags.filter { wanted.isEmpty || wanted.contains($0.key) }
        var members: [String: JSONValue] = [
            "project": .string(project.projectID), "account": .string(project.accountID),
            "revision": .string(project.revision), "version": .string(project.version),
            "region": .string(project.region.rawValue),
            "environment": project.environmentKey.map(JSONValue.string) ?? .null,
            "flags": .array(flags.map { .object(Self.members(of: $0)) }),
        ]
        guard wanted.isEmpty else { return members }
        let attached = Set(project.flags.flatMap(\.experiments).map(\.id))
        members["experiments"] = rules(project.experiments.filter { !attached.contains($0.id) })
        members["holdouts"] = rules(project.globalHoldouts + project.localHoldouts)
        members["groups"] = .array(
            project.groups.map { group in
                .object([
                    "id": .string(group.id), "isExclusive": .bool(group.isExclusive),
                    "experiments": .strings(group.experiments.map(\.key)),
                ])
            })
        members["audiences"] = .array(
            project.audiences.map { audience in
                .object([
                    "id": .string(audience.id), "name": .string(audience.name),
                    "condition": .string(audience.condition.words),
                ])
            })
        members["warnings"] = .strings(project.warnings.map(\.description))
        return members
    }

    private static func members(of flag: Flag) -> [String: JSONValue] {
        let variables = flag.variables.map { variable in
            JSONValue.object([
                "key": .string(variable.key), "type": .string(variable.typeName),
                "default": .string(variable.defaultValue),
            ])
        }
        return [
            "key": .string(flag.key), "id": .string(flag.id), "variables": .array(variables),
            "rules": rules(flag.experiments + flag.rolloutRules),
        ]
    }

    private static func rules(_ rules: [Rule]) -> JSONValue {
        .array(
            rules.map { rule in
                let traffic = rule.traffic.map { range in
                    JSONValue.object([
                        "variation": range.entityKey.map(JSONValue.string) ?? .null,
                        "start": .integer(Int64(range.buckets.lowerBound)),
                        "end": .integer(Int64(range.buckets.upperBound)),
                    ])
                }
                return .object([
                    "key": .string(rule.key), "id": .string(rule.id), "kind": .string("\(rule.kind)"),
                    "status": .string(rule.status.rawValue),
                    "audience": rule.audience == .everyone ? .null : .string(rule.audience.words),
                    "traffic": .array(traffic), "holdouts": .strings(rule.localHoldouts.map(\.key)),
                ])
            })
    }
}
