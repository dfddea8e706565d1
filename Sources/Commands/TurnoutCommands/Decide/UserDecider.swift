import TurnoutCommandIO
import TurnoutEngine

/// Decides all requested flags for one user after another.
struct UserDecider: Sendable {
    let project: Project
    /// The flags to decide; empty for all.
    let flagKeys: [String]
    let profiles: StoredProfiles
    let options: DecideOptions
    let format: DecisionFormat

    /// Decides a user's flags and adds the decisions to the output.
    func decide(_ user: User, profile: UserProfile, into output: inout DecisionOutput) {
        let batch =
            flagKeys.isEmpty
            ? project.decideAll(for: user, profile: profile, options: options)
            : project.decide(flagKeys, for: user, profile: profile, options: options)
        guard case .table = format else {
            for decision in batch.selected { output.add(decision, for: user) }
            return
        }
        // A table shows reasons, which need a trace. Deciding again with the same input gives the same decision.
        var current = profile
        for decision in batch.selected {
            let trace = project.explain(decision.flagKey, for: user, profile: current, options: options)
            output.add(decision, for: user, because: DecisionSummary(trace, in: project.environmentKey).text)
            if let assignment = decision.assignment {
                current.assignments[assignment.experimentID] = assignment.variationID
            }
        }
    }

    /// Decides a file of users of any length, and writes the decisions in the order of the lines. Memory use does not
    /// depend on the size of the file, except for tables.
    ///
    /// - Returns: The exit code: 1 if a line was invalid.
    func decide(usersIn name: String) async throws(CommandError) -> Int32 {
        // No progress line among decisions on the same terminal.
        var run = try LineRun(name, of: "users", showsProgress: !Terminal(.output).isTerminal)
        let (frame, noNames) = (DecisionOutput.frame(format), UnknownNames(in: [project]))
        var (names, table, wroteAnything) = (noNames, DecisionOutput(format), false)
        try put(frame.start)
        try await run.run { piece in
            var (output, names) = (DecisionOutput(format), noNames)
            let read = piece.forEachUser(with: profiles) { user, _, profile in
                decide(user, profile: profile, into: &output)
                names.add(user)
            }
            return (read, (output: output, names: names))
        } _: { block, _ throws(CommandError) in
            names.add(block.names)
            guard !block.output.isEmpty else { return }
            if case .table = format { return table.append(block.output) }
            if wroteAnything { try put(frame.separator) }
            wroteAnything = true
            guard block.output.put(on: .output) else { throw .unwritten("the decisions") }
        }
        if case .table = format { try put(table.finished(for: Terminal(.output))) } else { try put(frame.end) }
        names.warn()
        if run.count + run.badLineCount == 0 {
            StandardStream.error.put("turnout: warning: there are no users in \(run.name)\n")
        }
        return run.badLineCount == 0 ? 0 : CommandError.exitCode
    }

    private func put(_ text: String) throws(CommandError) { try StandardStream.output.print(text, "the decisions") }
}
