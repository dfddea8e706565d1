#if SQLite
    import TurnoutClient

    /// The assignments that are not in the file yet, and which users were used. Part of ``JournalState``.
    package struct PendingProfiles: Sendable {
        /// Assignments of a user that are not in the file yet.
        package struct Entry: Sendable, Equatable {
            package var assignments: [String: String]
            /// Whether these replace those in the file.
            package var replaces: Bool
            /// The number of the last commit group that contains some of them.
            var group: Int
        }

        /// The changes of one transaction.
        package struct Batch: Sendable {
            let changes: [ProfileChange]
            /// The ids of users whose use has to be recorded.
            package let used: Set<Int64>
            var isEmpty: Bool { changes.isEmpty && used.isEmpty }
        }

        /// More uses than this are not recorded by one transaction.
        private static let usedLimit = 1_000

        private let maximumBytes: Int
        private var changes: [ProfileChange] = []
        /// The memory of all changes that wait or are in flight.
        private var bytes = 0
        private var entries: [ByteKey: Entry] = [:]
        /// Users whose assignments were read long after their previous use.
        private var used: Set<Int64> = []
        /// The latest use of any user that this process knows. Uses are numbered.
        private(set) var latestUse: Int64 = 0
        /// A user whose assignments could not be read.
        private var unreadableUser: String?

        /// Creates a state without assignments.
        package init(options: SQLiteOptions) { maximumBytes = options.maximumBufferedBytes / 4 }

        /// Whether there is something to write.
        package var needsCommit: Bool { !changes.isEmpty || !used.isEmpty }
        /// The number of assignments that wait or are in flight.
        var unwrittenCount: Int { entries.values.reduce(0) { $0 + $1.assignments.count } }
        /// Whether a commit would make room.
        var holdsMemory: Bool { bytes > 0 }

        /// The assignments of a user that are not in the file yet; nil if there are none.
        package func entry(of userID: String) -> Entry? { entries.isEmpty ? nil : entries[ByteKey(userID)] }

        /// Adds a change, which the commit group that collects will write. Returns false if there is no room.
        package mutating func add(_ change: ProfileChange, group: Int) -> Bool {
            guard bytes + change.size <= maximumBytes else { return false }
            changes.append(change)
            bytes += change.size
            let user = ByteKey(change.userID)
            let known = change.replaces ? nil : entries[user]
            entries[user] = Entry(
                assignments: (known?.assignments ?? [:]).merging(change.assignments) { $1 },
                replaces: change.replaces || known?.replaces == true, group: group)
            return true
        }

        /// Drops the waiting changes of a user, or of all users if nil. No batch may be in flight.
        package mutating func drop(_ userID: String?) {
            let user = userID.map(ByteKey.init)
            changes.removeAll { user == nil || ByteKey($0.userID) == user }
            bytes = changes.reduce(0) { $0 + $1.size }
            if let user { entries[user] = nil } else { entries = [:] }
        }

        // MARK: Committing

        /// Moves everything that waits into a batch. Lookups find its changes until it is committed.
        package mutating func take() -> Batch {
            defer { (changes, used) = ([], []) }
            return Batch(changes: changes, used: used)
        }

        /// The batch is in the file.
        ///
        /// - Parameters:
        ///   - batch: The batch.
        ///   - group: The number of its commit group. Later changes stay pending.
        ///   - latestUse: The latest use of a user in the file; nil if unknown.
        package mutating func committed(_ batch: Batch, group: Int, latestUse: Int64?) {
            if let latestUse { self.latestUse = latestUse }
            for change in batch.changes {
                bytes -= change.size
                let user = ByteKey(change.userID)
                if let entry = entries[user], entry.group <= group { entries[user] = nil }
            }
        }

        /// The batch could not be written: its changes wait again.
        package mutating func restore(_ batch: Batch) {
            changes = batch.changes + changes
            used.formUnion(batch.used)
        }

        // MARK: Lookups

        /// A user's assignments were read long after their previous use. The next transaction records the use.
        package mutating func use(_ user: Int64) { if used.count < Self.usedLimit { used.insert(user) } }

        /// A user's assignments could not be read.
        mutating func readFailed(_ userID: String) { unreadableUser = userID }

        /// Returns a user whose assignments could not be read, once; nil if there is none.
        mutating func takeUnreadableUser() -> String? { unreadableUser.take() }
    }
#endif
