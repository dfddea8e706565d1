extension [UInt8] {
    /// A datafile with one flag, whose only experiment is for users who meet the conditions.
    static func flag(guardedBy conditions: String) -> [UInt8] {
        datafile(
            experiments: #"""
                [{"id": "1", "key": "rule", "status": "Running", "layerId": "1", "audienceIds": ["guard of the flag"],
                  "variations": [{"id": "11", "key": "on", "featureEnabled": true}], "forcedVariations": {},
                  "trafficAllocation": [{"entityId": "11", "endOfRange": 10000}]}]
                """#,
            audiences: #"[{"id": "guard of the flag", "name": "a", "conditions": \#(quoted(conditions))}]"#,
            variables: "[]")
    }

    /// A datafile with one flag that has one variable and no rules.
    static func flag(with variable: JSONValue) -> [UInt8] {
        datafile(experiments: "[]", audiences: "[]", variables: JSONValue.array([variable]).json)
    }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).json }

    private static func datafile(experiments: String, audiences: String, variables: String) -> [UInt8] {
        let ids = experiments == "[]" ? "[]" : #"["1"]"#
        let text = #"""
            {"version": "4", "projectId": "P", "accountId": "A", "revision": "1", "anonymizeIP": true, "groups": [],
             "attributes": [], "events": [], "rollouts": [], "typedAudiences": [],
             "experiments": \#(experiments), "audiences": \#(audiences),
             "featureFlags": [{"id": "9", "key": "flag", "experimentIds": \#(ids), "rolloutId": "",
                               "variables": \#(variables)}]}
            """#
        return [UInt8](text.utf8)
    }
}

extension JSONValue {
    /// The document with one change, as in the cases about validity.
    func mutated(at path: ArraySlice<String>, _ mutation: String) -> JSONValue {
        guard let step = path.first else { return replaced(by: mutation) }
        switch self {
        case .object(var members):
            if path.count == 1, mutation == "omit" {
                members[step] = nil
            } else {
                members[step] = (members[step] ?? .null).mutated(at: path.dropFirst(), mutation)
            }
            return .object(members)
        case .array(var elements):
            guard let index = Int(step), elements.indices.contains(index) else { return self }
            elements[index] = elements[index].mutated(at: path.dropFirst(), mutation)
            return .array(elements)
        default: return self
        }
    }

    private func replaced(by mutation: String) -> JSONValue {
        switch mutation {
        case "null": .null
        case "bogus": .string("BOGUS")
        default: number == nil ? .integer(5) : .string("str")
        }
    }
}
