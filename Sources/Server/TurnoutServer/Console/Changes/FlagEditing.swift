import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// Changes of the project file, which people make on pages and programs with requests.
final class FlagEditing: Sendable {
    /// Who asks for a change, and from where.
    struct Author: Sendable {
        let name: String?
        let address: String
        /// Whether ids of users may be shown as examples.
        let seesUsers: Bool

        init(_ name: String?, _ scopes: Set<ManagementScope>, _ head: RequestHead) {
            (self.name, seesUsers) = (name, scopes.contains(.events))
            let forwarded = head.headers["X-Forwarded-For"].map { "\($0) by way of " } ?? ""
            address = forwarded + head.remoteAddress
        }
    }

    /// A change in each of the environments that it is about.
    struct Proposal: Sendable {
        let environments: [String]
        /// In the order of the environments. What is written is the same in all of them.
        let inEnvironments: [FlagsFileProposal]
        /// How many users the impact is about.
        let users: Int
        /// Whether the events could be read.
        let knowsUsers: Bool

        var first: FlagsFileProposal { inEnvironments[0] }
    }

    /// The most bytes of a reason.
    static let maximumMessage = 1_000
    /// Proposals beyond it are refused: each may take seconds.
    private static let maximumProposals = 4

    let file: any FlagsFile
    /// How the file is changed.
    let mode: ConsoleOptions.Editing
    let log: ChangeLog
    /// The users of the last seven days.
    private let seenUsers: @Sendable () throws -> [User]
    private let wallClock: any WallClock
    private let proposalsInProgress = CallCount()
    /// The projects that were shown lately, by the tag of the file, to say what has changed since.
    private let shown = Locked(LRUCache<String, AuthoredProject>(capacity: 8, lifetime: nil))

    init(
        _ file: any FlagsFile, _ options: ConsoleOptions, log: ChangeLog, wallClock: any WallClock,
        seenUsers: @escaping @Sendable () throws -> [User]
    ) {
        (self.file, self.log, self.wallClock, self.seenUsers) = (file, log, wallClock, seenUsers)
        mode = options.editing ?? (file.isInGit ? .patch : .file)
    }

    /// Reads the file for a person.
    func read() throws -> FlagsFileContent {
        let content = try file.read()
        shown.withLock { $0.save(content.project, for: content.tag, at: .zero) }
        return content
    }

    /// What has changed in the file since it had a tag; nil if this server does not know what it was.
    func changes(since tag: String, in content: FlagsFileContent) -> Report? {
        shown.withLock { $0.value(for: tag, at: .zero) }.map { file.meaning(from: $0, to: content.project) }
    }

    /// What edits mean in an environment, and in others that they change.
    func proposal(_ edits: [FlagsFileEdit], in environment: String, for author: Author) throws -> Proposal {
        guard proposalsInProgress.enter(limit: Self.maximumProposals) else {
            throw FlagsFileProblem("Others are changing flags, too. Try again in a moment.", isConflict: true)
        }
        defer { proposalsInProgress.leave() }
        // A flag can be turned off although the events cannot be read.
        let users = Result(catching: seenUsers)
        let known = (try? users.get()) ?? []
        func proposal(in environment: String) throws -> FlagsFileProposal {
            try file.proposal(edits, in: environment, for: known, examples: author.seesUsers ? 5 : 0)
        }
        let first = try proposal(in: environment)
        let others = first.environments.filter { $0 != environment }
        return Proposal(
            environments: [environment] + others, inEnvironments: [first] + (try others.map(proposal)),
            users: known.count, knowsUsers: (try? users.get()) != nil)
    }

    /// Notes a change in the log, and writes it. If the process is killed in between, the log has it nevertheless.
    ///
    /// - Throws: ``FlagsFileProblem`` if it was not made.
    func write(_ proposal: Proposal, by author: Author, because message: String) throws {
        var record = ChangeRecord(
            time: wallClock.millisecondsSince1970(), user: author.name, address: author.address,
            environments: proposal.environments, meaning: proposal.first.meaning.text(),
            flags: proposal.first.flags.sorted(), message: message)
        do { try log.append(record) } catch {
            throw FlagsFileProblem("Nothing was changed, because the list of changes cannot be written: \(error)")
        }
        do { try file.write(proposal.first) } catch {
            record.failure = "\(error)"
            try? log.append(record)
            throw error
        }
    }
}
