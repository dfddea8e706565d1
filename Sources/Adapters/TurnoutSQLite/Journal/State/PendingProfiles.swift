import TurnoutClient

/// The assignments that are not in the file yet, and which users were used. Part of ``JournalState``.
package struct PendingProfiles: Sendable {
    /// One change for each user, in the order in which they were added.
    private struct Changes: Sendable {
        private(set) var all: [ProfileChange] = []
        private var places: [ByteKey: Int] = [:]
        private(set) var bytes = 0

        subscript(userID: String) -> ProfileChange? {
            places.isEmpty ? nil : places[ByteKey(userID)].map { all[$0] }
        }

        mutating func add(_ change: ProfileChange) {
            let user = ByteKey(change.userID)
            if let place = places[user] {
                bytes -= all[place].size
                all[place] = all[place].followed(by: change)
                bytes += all[place].size
            } else {
                places[user] = all.count
                all.append(change)
                bytes += change.size
            }
        }
    }

    /// More uses than this are not recorded by one transaction.
    private static let usedLimit = 1_000

    private let maximumBytes: Int
    private var waiting = Changes()
    private var inFlight = Changes()
    /// The ids of users whose assignments were read long after their previous use.
    private var used: Set<Int64> = []
    /// The latest use of any user that this process knows. Uses are numbered.
    private(set) var latestUse: Int64 = 0
    /// A user whose assignments could not be read.
    var unreadableUser: String?

    /// Creates a state without assignments.
    init(options: SQLiteOptions) { maximumBytes = options.maximumBufferedBytes / 4 }

    /// Whether there is something to write.
    var needsCommit: Bool { !waiting.all.isEmpty || !used.isEmpty }
    /// The number of assignments that wait or are in flight.
    var unwrittenCount: Int { (waiting.all + inFlight.all).reduce(0) { $0 + $1.assignments.count } }
    /// Whether a commit would make room.
    var holdsMemory: Bool { waiting.bytes + inFlight.bytes > 0 }

    /// The assignments of a user that are not in the file yet; nil if there are none.
    package func change(of userID: String) -> ProfileChange? {
        guard let change = waiting[userID] else { return inFlight[userID] }
        return inFlight[userID]?.followed(by: change) ?? change
    }

    /// Adds a change. Returns false if there is no room.
    mutating func add(_ change: ProfileChange) -> Bool {
        guard waiting.bytes + inFlight.bytes + change.size <= maximumBytes else { return false }
        waiting.add(change)
        return true
    }

    /// Drops the waiting changes of a user, or of all users if nil. None may be in flight.
    package mutating func drop(_ userID: String?) {
        let rest = waiting.all.filter { change in userID.map { change.userID.utf8.elementsEqual($0.utf8) } == false
        }
        waiting = Changes()
        for change in rest { waiting.add(change) }
    }

    /// A user's assignments were read long after their previous use. The next transaction records the use.
    mutating func use(_ user: Int64) { if used.count < Self.usedLimit { used.insert(user) } }

    // MARK: Committing

    /// The next transaction's changes, and the ids of users whose use it records. Lookups find the changes until
    /// they are committed.
    mutating func take() -> (changes: [ProfileChange], used: Set<Int64>) {
        swap(&waiting, &inFlight)
        return (inFlight.all, used)
    }

    /// The changes are in the file. `latestUse`: the latest use of a user there; nil if unknown.
    mutating func committed(_ used: Set<Int64>, latestUse: Int64?) {
        inFlight = Changes()
        self.used.subtract(used)
        if let latestUse { self.latestUse = latestUse }
    }

    /// The changes could not be written: they wait again.
    mutating func restore() {
        guard !inFlight.all.isEmpty else { return }
        for change in waiting.all { inFlight.add(change) }
        (waiting, inFlight) = (inFlight, Changes())
    }
}

extension ProfileChange {
    /// This change and a later one of the same user.
    fileprivate func followed(by later: ProfileChange) -> ProfileChange {
        guard !later.replaces else { return later }
        return ProfileChange(
            userID: userID, assignments: assignments.merging(later.assignments) { $1 }, replaces: replaces)
    }
}
