#if SQLite
    import TurnoutClient

    extension JournalState {
        /// The next step of the caller of `append` or `save`.
        package enum AddAction: Sendable {
            /// Return: a flush writes the addition. `needsFlush`: wake the background thread first.
            case accepted(needsFlush: Bool)
            /// Lead the commit of the group, where the additions begin at index `first`.
            case lead(CommitGroup, first: Int)
            /// Wait until the group has ended, or, as its next leader, until promoted.
            case wait(CommitGroup, first: Int, asNextLeader: Bool)
            case makeRoom
            /// Commit, read the queue's totals, and try again: another process may have removed events.
            case reloadTotals
            case refused(needsFlush: Bool)
        }

        /// The next step of the caller of `commitBegan`.
        package enum CommitAction: Sendable {
            /// Return the last failure of the file.
            case nothing(SQLiteError?)
            /// Return the last failure, and tell the callers that wait.
            case backOff(SQLiteError, ClosedGroup?)
            /// Begin a transaction, and `take` what it has to write.
            case write
        }

        /// The next step after a transaction.
        package struct EndAction: Sendable {
            /// The group to end and wake; nil if no caller waits.
            package let group: ClosedGroup?
            /// Whether this is the first failure in a row, or the first success after one: to be logged.
            package let isTransition: Bool
        }
    }
#endif
