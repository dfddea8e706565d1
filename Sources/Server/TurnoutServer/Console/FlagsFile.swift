package import TurnoutEngine
package import TurnoutFlags
package import TurnoutReports

/// The project file that a server serves, for pages that show and change it.
///
/// `turnout serve` implements it with what the commands `lint`, `diff`, `impact` and `set` do, so pages and commands
/// say the same. All functions block.
package protocol FlagsFile: Sendable {
    /// The name, as people know it: `flags.yaml`.
    var name: String { get }
    /// Whether the file is in a checkout of git.
    var isInGit: Bool { get }

    /// Reads the file.
    func read() throws -> FlagsFileContent

    /// The commits that changed the file, or one of its flags, the latest first; none if it is not in git.
    func history(of flag: String?, limit: Int) throws -> [FlagsFileCommit]

    /// What edits would mean, one after the other, and which of the users would move in the environment, with some of
    /// them as examples. Nothing is written.
    ///
    /// - Throws: ``FlagsFileProblem`` for an edit that is refused.
    func proposal(
        _ edits: [FlagsFileEdit], in environment: String, for users: [User], examples: Int
    ) throws -> FlagsFileProposal

    /// What differs between two states of the file, as `turnout diff` says it; empty if nothing does.
    func meaning(from old: AuthoredProject, to new: AuthoredProject) -> Report

    /// Writes a proposal, if the file is still the one that it changes.
    ///
    /// - Throws: ``FlagsFileProblem`` if it is another one, or cannot be written.
    func write(_ proposal: FlagsFileProposal) throws
}

/// A project file as it is now.
package struct FlagsFileContent: Sendable {
    package let project: AuthoredProject
    /// What `turnout lint` finds in it.
    package let findings: [Diagnostic]
    /// Those about each flag.
    package let findingsByFlag: [String: [Diagnostic]]
    /// A hash of its bytes, which tells whether it has changed since.
    package let tag: String

    package init(
        _ project: AuthoredProject, findings: [Diagnostic], findingsByFlag: [String: [Diagnostic]] = [:], tag: String
    ) {
        (self.project, self.findings, self.findingsByFlag, self.tag) = (project, findings, findingsByFlag, tag)
    }
}

/// A commit that changed a project file.
package struct FlagsFileCommit: Sendable {
    /// The abbreviated hash.
    package let id: String
    package let author: String
    /// In milliseconds since 1970.
    package let time: Int64
    package let subject: String
    /// What it means, as `turnout diff` says it.
    package let meaning: Report
    /// The keys of the flags that it changed.
    package let flags: Set<String>

    package init(
        id: String, author: String, time: Int64, subject: String, meaning: Report, flags: Set<String> = []
    ) {
        (self.id, self.author, self.time) = (id, author, time)
        (self.subject, self.meaning, self.flags) = (subject, meaning, flags)
    }
}

/// An edit of a place in a project file, as `turnout set` takes it.
package enum FlagsFileEdit: Sendable, Equatable {
    /// Gives the value at a path another text in YAML.
    case set(path: String, value: String)
    /// Adds an element to a list: to one of rules after a certain one, or at the end.
    case add(path: String, element: String, after: String? = nil)
    /// Removes an element from a list.
    case remove(path: String, element: String)
}

/// What edits of a project file would mean and do.
package struct FlagsFileProposal: Sendable {
    /// The hash of the file that they change.
    package var tag: String
    /// The file afterwards.
    package var bytes: [UInt8]
    /// What they mean, as `turnout diff` says it; empty if nothing changes.
    package var meaning: Report
    /// The keys of the flags that they change.
    package var flags: Set<String>
    /// The environments in which they change one.
    package var environments: [String]
    /// What `turnout lint` finds in the edited file and not in the one before.
    package var findings: [Diagnostic]
    /// Who moves, as `turnout impact` says it.
    package var impact: Report
    /// The same as JSON.
    package var impactJSON: String
    /// The edits as a patch in the format of git.
    package var patch: String

    package init(
        tag: String, bytes: [UInt8], meaning: Report, flags: Set<String>, environments: [String],
        findings: [Diagnostic], impact: Report, impactJSON: String, patch: String
    ) {
        (self.tag, self.bytes, self.meaning, self.flags, self.findings) = (tag, bytes, meaning, flags, findings)
        (self.environments, self.impact, self.impactJSON, self.patch) = (environments, impact, impactJSON, patch)
    }
}

/// Why a project file cannot be read or edited, in words for people.
package struct FlagsFileProblem: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether the file has changed since the page was made.
    package let isConflict: Bool

    package init(_ description: String, isConflict: Bool = false) {
        (self.description, self.isConflict) = (description, isConflict)
    }
}
