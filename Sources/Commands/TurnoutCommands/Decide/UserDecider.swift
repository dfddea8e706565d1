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
    /// A count of unknown names, without users.
    let unknownNames: UnknownNames

    init(
        project: Project, flagKeys: [String], profiles: StoredProfiles, options: DecideOptions, format: DecisionFormat
    ) {
        (self.project, self.flagKeys, self.profiles) = (project, flagKeys, profiles)
        (self.options, self.format) = (options, format)
        unknownNames = UnknownNames(in: [project])
    }

    func makeOutput() -> DecisionOutput { DecisionOutput(format) }

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
            output.add(decision, for: user, because: DecisionSummary(trace).text)
            if let assignment = decision.assignment {
                current.assignments[assignment.experimentID] = assignment.variationID
            }
        }
    }

    /// Decides the users of a piece of lines.
    func decide(_ lines: ArraySlice<UInt8>) -> DecidedBlock {
        var block = DecidedBlock(output: makeOutput(), unknownNames: unknownNames)
        var lookup = ProfileLookup<User>(in: profiles)
        func add(_ user: User, _ profile: UserProfile) {
            decide(user, profile: profile, into: &block.output)
            block.unknownNames.add(user)
            block.userCount += 1
        }
        block.lineCount = lines.forEachLine { number, line in
            do throws(JSONError) {
                let user = try User(parsing: line)
                lookup.add(user, userID: user.id, add)
            } catch {
                block.badLines.append(BadLine(number: number, error: error))
            }
        }
        lookup.finish(add)
        block.failure = lookup.failure
        return block
    }
}

/// The decisions for a piece of lines.
struct DecidedBlock: Sendable {
    var output: DecisionOutput
    var unknownNames: UnknownNames
    var lineCount = 0
    var userCount = 0
    var badLines: [BadLine] = []
    /// Why the store of assignments failed, and users are missing.
    var failure: CommandError?
}
