import TurnoutEngine

/// Decides all requested flags for one user after another.
struct UserDecider: Sendable {
    let project: Project
    /// The flags to decide; empty for all.
    let flagKeys: [String]
    let profiles: ProfilesFile
    let options: DecideOptions
    let format: DecisionFormat

    func makeOutput() -> DecisionOutput { DecisionOutput(format) }

    /// Decides a user's flags and adds the decisions to the output.
    func decide(_ user: User, into output: inout DecisionOutput) {
        let profile = profiles[user.id]
        let batch =
            flagKeys.isEmpty
            ? project.decideAll(for: user, profile: profile, options: options)
            : project.decide(flagKeys, for: user, profile: profile, options: options)
        guard case .table = format else {
            for decision in batch.returned { output.add(decision, for: user) }
            return
        }
        // A table shows reasons, which need a trace. Deciding again with the same input gives the same decision.
        var current = profile
        for decision in batch.returned {
            let trace = project.explain(decision.flagKey, for: user, profile: current, options: options)
            output.add(decision, for: user, because: DecisionSummary(trace).text)
            if let assignment = decision.assignment {
                current.assignments[assignment.experimentID] = assignment.variationID
            }
        }
    }

    /// Decides the users of a piece of lines.
    func decide(_ lines: ArraySlice<UInt8>) -> DecidedBlock {
        var block = DecidedBlock(output: makeOutput())
        block.lineCount = lines.forEachLine { number, line in
            do throws(JSONError) {
                decide(try User(parsing: line), into: &block.output)
                block.userCount += 1
            } catch {
                block.badLines.append(BadLine(number: number, error: error))
            }
        }
        return block
    }
}

/// The decisions for a piece of lines.
struct DecidedBlock: Sendable {
    var output: DecisionOutput
    var lineCount = 0
    var userCount = 0
    var badLines: [BadLine] = []
}
