import TurnoutEngine

extension Compilation {
    /// The source location of the part that makes a datafile invalid: the part at the error's path if it has a
    /// location, otherwise the environment. Lists of the datafile have the order of the project.
    func place(of error: DatafileError, in environment: String) -> SourceOrigin {
        let other = project.environments.first { $0.key == environment }?.origin ?? project.origin
        guard case .invalid(let error) = error, case .key(let list)? = error.path.first else { return other }
        // Carried members take the place of a whole list, or make a member of the datafile itself wrong.
        guard error.path.count > 2, project.verbatim[list] == nil, case .index(let index) = error.path[1] else {
            return project.verbatim[list] == nil ? other : project.origin
        }
        let places: [SourceOrigin] =
            switch list {
            case "attributes": project.attributes.map(\.origin)
            case "events": project.events.map(\.origin)
            case "audiences", "typedAudiences": project.audiences.map(\.origin)
            case "featureFlags": project.flags.map(\.origin)
            case "rollouts": project.flags.filter { $0.rules(in: environment).hasRollout }.map(\.origin)
            case "groups": project.groups.map(\.origin)
            default: []
            }
        return places.indices.contains(index) ? places[index] : other
    }
}

extension JSONValue {
    /// The experiments and rollouts that a datafile's flags name although they do not exist: `experiment 17 of flag f`.
    /// The vendor's Python client cannot read a datafile with one; others skip it.
    var missingRules: [String] {
        let experiments = Set(allExperiments.compactMap { $0["id"]?.text })
        let rollouts = Set(list("rollouts").compactMap { $0["id"]?.text } + [""])
        return list("featureFlags").flatMap { flag -> [String] in
            let name = "flag \(flag["key"]?.text ?? "")"
            let ids = flag.list("experimentIds").compactMap(\.text).filter { !experiments.contains($0) }
            let rolloutID = flag["rolloutId"]?.text ?? ""
            return ids.map { "experiment \($0) of \(name)" }
                + (rollouts.contains(rolloutID) ? [] : ["rollout \(rolloutID) of \(name)"])
        }
    }
}
