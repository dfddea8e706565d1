package import TurnoutClient

/// Writes the events in the log to an engine, at least once: a reader of the log with an offset of its own.
///
/// It advances when the engine has everything before it. A crash repeats at most one page, whose events are the same.
package final class EngineWriting: Sendable {
    package struct Options: Sendable {
        /// The approximate number of bytes of the log that are read at a time. Default: 8 MiB.
        package var pageSize = 8 << 20
        /// The maximum number of rows that are written at a time. Default: 20,000.
        package var batchSize = 20_000
        /// The pause when the log has less than half a page. Default: 1 second.
        package var idlePause = Duration.seconds(1)

        package init() {}
    }

    /// The numbers since the start.
    package struct Counts: Sendable, Equatable {
        /// The events that the engine has.
        package var written = 0
        /// The events that the engine refused for good.
        package var rejected = 0
    }

    /// An event that an engine refuses, with its words.
    typealias Refusal = (event: EngineBatch, words: String)

    private struct State {
        var counts = Counts()
        var isWriting = false
        /// Ended when the page that is being written is finished.
        var waiting: [OneShot<Void>] = []
    }

    /// The number of events that are tried alone before some of them are set aside.
    private static let sampleSize = 20
    /// The approximate bytes of rows that are written at a time.
    private static let maximumSize = 32 << 20

    private let log: any EventLogReading
    private let engine: any EventEngine
    private let reader: String
    private let store: EventDatabase
    private let isForced: @Sendable (Int64) -> Bool
    private let options: Options
    private let work: RetriedWork
    private let messages: any Log
    private let state = Locked(State())

    /// Creates the writing of a log to an engine.
    ///
    /// - Parameters:
    ///   - log: The received bodies.
    ///   - engine: Receives the events.
    ///   - store: Receives the events that the engine refuses.
    ///   - isForced: Whether the variation of a visitor was forced at this server. Default: never.
    ///   - options: The options. Default: the standard ones.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - random: The source of jitter. Default: the system's.
    ///   - messages: Receives failures.
    package init(
        _ log: any EventLogReading, to engine: any EventEngine, rejectingInto store: EventDatabase,
        isForced: @escaping @Sendable (_ visitor: Int64) -> Bool = { _ in false }, _ options: Options = Options(),
        clock: any Clock<Duration> = .continuous,
        random: any RandomSource = .system, messages: any Log
    ) {
        (self.log, self.engine, self.store, self.isForced, self.options) = (log, engine, store, isForced, options)
        self.messages = messages
        reader = EventReader.engine(engine).name
        work = RetriedWork(
            failure: "events: not written to the engine", recovery: "events: written to the engine again",
            Backoff(first: .milliseconds(500), longest: .seconds(30), random: random), clock: clock, messages: messages)
    }

    /// The numbers since the start.
    package var counts: Counts { state.withLock { $0.counts } }

    /// Why writing makes no progress; nil if it does.
    package var problem: String? { work.problem }

    /// The attempts that failed and were or will be repeated.
    package var failures: Int { work.failures }

    /// The number of bytes in the log that the engine does not have yet.
    package var unreadSize: Int64 { max(0, log.end - max(log.start, log.offset(of: reader))) }

    /// Registers the offset, so that the log keeps what is not written, and writes until the task is canceled.
    package func run() async {
        var isBegun = false
        await work.run {
            if !isBegun {
                try await BlockingCall.result { [log, reader] in
                    try log.acknowledge(log.offset(of: reader), by: reader)
                }
                // So that the first event is not the first to find a wrong address.
                try await engine.check()
                isBegun = true
            }
            return try await writeNext() ? .zero : options.idlePause
        }
    }

    /// Writes the next page.
    ///
    /// - Returns: Whether there is enough for another page.
    /// - Throws: The error of the engine, the log or the store. Then the whole page is written again later.
    package func writeNext() async throws -> Bool {
        state.withLock { $0.isWriting = true }
        defer { endPage() }
        let (page, batches) = try await BlockingCall.result { try self.read() }
        var (written, refusals) = (0, [Refusal]())
        for batch in batches {
            let refused = try await Self.write(batch, to: engine)
            written += batch.count - refused.count
            refusals += refused
        }
        try await BlockingCall.result { [log, reader, store, refusals] in
            if !refusals.isEmpty { try store.reject(refusals) }
            if page.next != log.offset(of: reader) { try log.acknowledge(page.next, by: reader) }
        }
        if let words = refusals.first?.words {
            messages(.error, "events: \(refusals.count) set aside, which the engine refused: \(words)")
        }
        state.withLock {
            $0.counts.written += written
            $0.counts.rejected += refusals.count
        }
        return unreadSize >= options.pageSize / 2
    }

    private func endPage() {
        let waiting = state.withLock { state in
            defer { (state.isWriting, state.waiting) = (false, []) }
            return state.waiting
        }
        for each in waiting { each.end(()) }
    }

    private func read() throws -> (page: EventLogPage, batches: [EngineBatch]) {
        let page = try log.read(from: log.offset(of: reader), size: options.pageSize)
        var (batches, batch) = ([EngineBatch](), EngineBatch())
        for record in page.records {
            batch.add(EventBatchParser().rows(of: record), isForced: isForced)
            guard batch.count >= options.batchSize else { continue }
            batches.append(batch)
            batch = EngineBatch()
        }
        if batch.count > 0 { batches.append(batch) }
        return (page, batches)
    }

    /// Writes a batch. Halves of it are written if the engine refuses it, until the events that it refuses are alone.
    ///
    /// - Returns: The events that the engine refuses.
    static func write(_ batch: EngineBatch, to engine: any EventEngine) async throws(EngineError) -> [Refusal] {
        var (refusals, isChecked) = ([Refusal](), false)
        var parts: [EngineBatch] = batch.parts(ofSize: maximumSize).reversed()
        while let part = parts.popLast() {
            do { try await engine.write(part) } catch .refused(let words) {
                if !isChecked { try await checkTable(with: batch, in: engine) }
                isChecked = true
                if part.count == 1 {
                    refusals.append((part, words))
                } else {
                    let middle = part.count / 2
                    parts += [part.rows(middle..<part.count), part.rows(0..<middle)]
                }
            }
        }
        return refusals
    }

    /// Writes single events from everywhere in a batch.
    ///
    /// - Throws: ``EngineError/failed(_:)`` if the engine refuses all of them: then probably the table is at fault.
    private static func checkTable(with batch: EngineBatch, in engine: any EventEngine) async throws(EngineError) {
        var words = ""
        for number in stride(from: 0, to: batch.count, by: max(1, batch.count / sampleSize)) {
            do { return try await engine.write(batch.rows(number..<number + 1)) } catch .refused(let text) {
                words = text
            }
        }
        throw .failed(words)
    }

    /// Deletes all events of some users, which are not in the log any more, and waits until they are gone.
    package func forget(_ users: [String]) async throws {
        // It may have been read before they left the log.
        let end = OneShot<Void>()
        state.withLock { state in if state.isWriting { state.waiting.append(end) } else { end.end(()) } }
        _ = await end.value()
        try await engine.forget(users)
    }
}
