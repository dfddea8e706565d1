#if SQLite
    public import TurnoutClient

    /// How much a storage holds, and how soon what it is given is in the file.
    public struct SQLiteOptions: Sendable {
        /// When something is in the file.
        public enum Durability: Sendable, Equatable {
            /// Soon afterwards, together with what else came in the meantime. Calls return at once; what came within
            /// that time is lost if the process dies. Zero or less is taken for a millisecond.
            ///
            /// Writing begins after that time. In a test with 10 milliseconds all was in the file within them at up to
            /// some 12,500 events a second; a thread that tracks some 100,000 a second gets ahead of the file, and
            /// after `kill -9` events that were up to 235 milliseconds old were missing. ``beforeReturning`` has no
            /// such gap.
            case soon(within: Duration)
            /// Before the call returns. Threads that call at the same time share the work. What cannot be written waits
            /// in memory and is written later; `track` throws then, a decision is made all the same, and the log says
            /// so.
            case beforeReturning
        }

        /// What an event that is in the file outlasts.
        public enum Survival: Sendable {
            /// The end of the process, whatever ended it, but not of the machine.
            case processDeath
            /// A power failure, too, if the disk keeps its promises. Each commit waits for the disk.
            case powerLoss
        }

        /// When events and assignments are in the file. Default: within 10 milliseconds, unless a thread is faster than
        /// the file; see ``Durability-swift.enum/soon(within:)``.
        public var durability = Durability.soon(within: .milliseconds(10))
        /// What they outlast there. Default: the death of the process, not a power cut; ``Survival/powerLoss`` outlasts
        /// that, too. What is not in the file yet outlasts neither: see ``durability-swift.property``.
        public var survives = Survival.processDeath
        /// The most events in a queue. Default: 10,000. With ``Durability/soon(within:)`` processes that share a
        /// directory may exceed it by what they take within that time.
        public var maximumEvents = 10_000
        /// The most bytes that a queue's events have together, without what they share. Default: 50 MB.
        public var maximumBytes = 50_000_000
        /// What gives way when a queue is full. Default: the new event.
        public var overflow = EventOverflow.refuseNewest
        /// The most events that are kept after they were refused or found damaged; the oldest go. Default: 100.
        public var maximumRejected = 100
        /// The most users whose assignments are remembered; those not used longest go. Default: 100,000.
        public var maximumUsers = 100_000
        /// How long to wait for another process that writes. Default: 5 seconds.
        public var patience: Duration = .seconds(5)

        /// The standard options; change what you need.
        public init() {}

        /// The options with every limit at least one, so that nothing needs to ask again.
        var checked: SQLiteOptions {
            var options = self
            options.maximumEvents = max(1, maximumEvents)
            options.maximumBytes = max(1, maximumBytes)
            options.maximumRejected = max(0, maximumRejected)
            options.maximumUsers = max(1, maximumUsers)
            options.patience = max(.zero, patience)
            return options
        }
    }
#endif
