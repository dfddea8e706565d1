import Dispatch
import Synchronization
import TurnoutClient

/// Collects additions, and writes many of them in one transaction. ``JournalState`` decides when to write and which
/// callers wait; this class holds the state's lock, the threads and the file.
///
/// Lock order: the writer's, a reader's or the state's, a commit group's. None is held while the log is called.
final class Journal: Sendable {
    let options: SQLiteOptions
    let database: Database
    let state: Locked<JournalState>
    /// Ends the pause of the writing thread.
    let pauseEnd = DispatchSemaphore(value: 0)
    private let destination: any Log
    private let generation = Atomic(Fork.generation)
    private let exitDrain = ExitDrain()
    /// The time, for the pauses after failures.
    let now: @Sendable () -> ContinuousClock.Instant

    /// Prepares to open the file in a directory, or a database in memory if nil.
    init(
        directory: String?, options: SQLiteOptions, log: any Log,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.options = options.checked
        self.now = now
        destination = log
        database = Database(directory: directory, options: self.options)
        state = Locked(JournalState(options: self.options))
        guard directory != nil else { return }
        exitDrain.begin { [weak self] in
            self.map { $0.commit(evenIfPausing: true) } != nil
        } report: { [weak self] in
            self?.reportUnwritten()
        }
    }

    deinit {
        commit(evenIfPausing: true)
        pauseEnd.signal()
        exitDrain.end()
    }

    /// Logs what is lost because the process ends.
    private func reportUnwritten() {
        let (count, error) = state.withLock { ($0.unwrittenCount, $0.backoff.error) }
        guard count.events + count.assignments > 0 else { return }
        destination(
            .error,
            "storage: the process ends, and \(count.events) events and \(count.assignments) assignments are lost: "
                + (error.map { "they cannot be written: \($0)" } ?? "they were not written within a second"))
    }

    /// Writes pending log entries. No lock may be held.
    func log() { database.notices.deliver(to: destination) }

    /// Whether callers wait until their additions are in the file.
    var waitsForDurability: Bool { options.durability == .beforeReturning }

    /// Empties the state of a forked child: the parent writes its contents.
    func startCleanAfterFork() {
        let present = Fork.generation
        guard generation.load(ordering: .acquiring) != present else { return }
        state.withLock { state in
            // Other threads of the child wait for the lock, and find an empty state.
            guard generation.exchange(present, ordering: .releasing) != present else { return }
            state.forked()
        }
    }

    // MARK: Queues

    /// The number of a queue. Adds the queue if it is new.
    func queue(_ name: String) -> Int {
        let (queue, isNew) = state.withLock { $0.queue(name) }
        if isNew { look(at: queue) }
        return queue
    }

    /// Reads a queue's totals from the file.
    func look(at queue: Int) {
        let name = state.withLock { $0.queues[queue].name }
        database.withWriter { writer in
            guard let totals = try? writer.read({ try $0.existingTotals(name) ?? Totals(id: 0, name: name) })
            else { return }
            state.withLock { $0.queues[queue].stored = .init(totals) }
        }
        log()
    }
}
