// Decisions in the log, at the debug level.

extension DecisionRuntime {
    /// Logs a decision: the flag, variation, rule and stage, a hash of the user's id, and the attributes that events
    /// leave out.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - user: The user that it was made for.
    ///   - experiment: The key of the experiment, if the decision is not for a flag.
    func log(_ decision: Decision, of user: User, experiment: String) {
        let name = decision.flagKey.isEmpty ? "experiment \(experiment)" : ""
        // Support can compute the hash of the id of a user who reports a problem, and find the user's decisions.
        let hash = String(Bucketing(bucketingID: user.id).hash(entityID: ""), radix: 16)
        let omitted = omitted(user.attributes)
        services.log(
            .debug,
            "decided \(name)\(decision); user \(hash)"
                + (omitted.isEmpty ? "" : "; events leave out \(omitted.joined(separator: ", "))"))
    }

    /// Logs and returns a decision that was made without evaluating a flag.
    @inline(__always)
    func logged(_ decision: Decision, _ user: User) -> Decision {
        if logsDecisions { log(decision, of: user, experiment: "") }
        return decision
    }

    /// The attributes that events leave out, each with the reason.
    private func omitted(_ attributes: Attributes) -> [String] {
        guard let project else { return [] }
        let declared = Set(project.declaredAttributes.map(\.key))
        let unsendable = Set(attributes.unsendableNames)
        return attributes.map(\.name).sorted().compactMap { name in
            if unsendable.contains(name) { return "\(name) (its type)" }
            return declared.contains(name) || name.hasPrefix("$opt_") ? nil : "\(name) (not in the datafile)"
        }
    }
}
