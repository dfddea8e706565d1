import CAllocationCounter
import Foundation
import TurnoutClient
import TurnoutSQLite

/// The cost of storing events in SQLite.
struct DurableEvents {
    private let subject: Subject
    private let folder: ScratchFolder
    private let event: OutgoingEvent

    /// An event of the subject of about 700 bytes; nil if it sends none.
    init?(_ subject: Subject) throws {
        folder = try ScratchFolder()
        self.subject = subject
        let sent = MemoryEventStore()
        let client = try subject.client(sending: sent)
        for user in subject.users {
            for key in subject.flagKeys { _ = client.decide(key, for: user) }
            if let first = sent.oldest(1).first {
                event = first.event
                return
            }
        }
        return nil
    }

    /// The time of a decision with an event on the deciding thread, in bursts of a few thousand: a longer burst would
    /// be throttled until the file has caught up.
    func nanosecondsToDecide() throws -> Double? {
        let store = try storage(.soon(within: .milliseconds(10))).events
        let client = try subject.client(sending: store)
        let decide = subject.decidingWithEvents(client)
        let burst = 4_000
        let times = try (0..<25).map { _ in
            let time = Stopwatch.nanoseconds { decide(burst) }
            try empty(store)
            return Double(time) / Double(burst)
        }
        return median(times)
    }

    /// The events per second of wall time that one thread adds, including their write to the file.
    func acceptedPerSecond() throws -> Double {
        let rates = try (0..<5).map { _ in
            let store = try storage(.soon(within: .milliseconds(10))).events
            let count = 200_000
            let time = try ContinuousClock().measure {
                for _ in 0..<count { try store.append(event) }
                try store.synchronize()
            }
            return Double(count) / (time / .seconds(1))
        }
        return median(rates)
    }

    /// The same for many threads that each wait until their events are in the file, with a number of events at a time.
    func acceptedPerSecondWaiting(atATime count: Int) throws -> Double {
        let (threads, each) = (128, 1_000 / count)
        let batch = Array(repeating: event, count: count)
        let rates = try (0..<5).map { _ in
            let store = try storage(.beforeReturning).events
            let time = ContinuousClock().measure {
                DispatchQueue.onThreads(threads) { for _ in 0..<each { _ = store.append(contentsOf: batch) } }
            }
            return Double(threads * each * count) / (time / .seconds(1))
        }
        return median(rates)
    }

    /// The same for a number of tasks that each wait until their own event is in the file.
    func acceptedPerSecond(byTasks tasks: Int, each: Int) throws -> Double {
        let (event, done) = ([event], DispatchSemaphore(value: 0))
        let rates = try (0..<5).map { _ in
            let store = try storage(.beforeReturning).events
            let time = ContinuousClock().measure {
                Task {
                    await withTaskGroup { group in
                        for _ in 0..<tasks {
                            group.addTask { for _ in 0..<each { _ = await store.appendDurably(event) } }
                        }
                    }
                    done.signal()
                }
                done.wait()
            }
            return Double(tasks * each) / (time / .seconds(1))
        }
        return median(rates)
    }

    /// The ratio of the costs of appending, reading and removing an event with very many and with few queued events.
    func costOfWaiting() throws -> Double {
        func nanoseconds(waiting: Int) throws -> Double {
            let store = try storage(.beforeReturning).events
            for _ in 0..<waiting { try store.append(event) }
            let times = try (0..<200).map { _ in
                try ContinuousClock().measure {
                    try store.append(event)
                    try store.remove(store.oldest(1).map(\.id))
                } / .nanoseconds(1)
            }
            return median(times)
        }
        let pairs = try (0..<5).map { _ in try nanoseconds(waiting: 10_000) / nanoseconds(waiting: 10) }
        return median(pairs)
    }

    /// Decides with events that go to a file. Each worker ends when its events are in it.
    static func workers(on subject: Subject, _ durability: SQLiteOptions.Durability) -> Workers? {
        guard !subject.sendingDecisions.isEmpty, let events = try? DurableEvents(subject),
            let store = try? events.storage(durability).events, let client = try? subject.client(sending: store)
        else { return nil }
        return { subject in
            let decide = subject.decidingWithEvents(client)
            return { times in
                decide(times)
                // The folder is removed with the object.
                withExtendedLifetime(events.folder) { try? store.synchronize() }
            }
        }
    }

    private func storage(_ durability: SQLiteOptions.Durability) throws -> SQLiteStorage {
        var options = SQLiteOptions()
        options.durability = durability
        options.maximumEvents = .max
        options.maximumBytes = .max
        options.maximumBufferedBytes = .max
        return try SQLiteStorage(directory: folder.path(UUID().uuidString), options, log: .silent)
    }

    private func empty(_ store: SQLiteEventStore) throws {
        try store.synchronize()
        while case let batch = try store.oldest(10_000), !batch.isEmpty { try store.remove(batch.map(\.id)) }
    }
}

extension DispatchQueue {
    /// Runs a function on a number of threads at once, and waits for them.
    fileprivate static func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchGroup()
        for _ in 0..<count {
            done.enter()
            Thread {
                body()
                done.leave()
            }.start()
        }
        done.wait()
    }
}

extension Subject {
    /// Decides with assignments in a file.
    func clientDecideWithDurableProfiles() -> Workers? {
        guard let folder = try? ScratchFolder(),
            let storage = try? SQLiteStorage(directory: folder.path("profiles"), log: .silent),
            let workers = clientDecide(with: storage.profiles)
        else { return nil }
        return { subject in
            let decide = workers(subject)
            return { times in withExtendedLifetime(folder) { decide(times) } }
        }
    }

    /// A client with an event store.
    fileprivate func client(sending store: any EventStore) throws -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.eventStore = store
        return try FlagClient(datafile: bytes, configuration)
    }

    /// Encodes impressions and joins them to payloads of ten; nil if there are none.
    func batches() -> Workers? { sendingDecisions.isEmpty ? nil : { $0.batchWorker() } }

    private func batchWorker() -> Worker {
        let sending = sendingDecisions
        let encoder = EventEncoder(project: project, clientName: "turnout", clientVersion: "1.0.0")
        let group = OutgoingEvent.Group(region: project.region, envelope: encoder.envelope)
        // Objects, so that copies of values are not measured.
        let decided = sending.map { Decided(decision: project.decide($0.key, for: $0.user), user: $0.user) }
        return { times in
            var random = RandomSource(seed: 1)
            var checksum = 0
            var batch: [OutgoingEvent] = []
            for index in 0..<times {
                let place = index % decided.count
                guard let impression = decided[place].decision.impression else { continue }
                var writer = JSONWriter()
                let stamp = EventStamp(timestamp: 1_767_225_600_123, uuid: EventID(using: &random))
                encoder.writeVisitor(impression, of: decided[place].user, stamp: stamp, to: &writer)
                batch.append(OutgoingEvent(group: group, visitor: writer.bytes))
                guard batch.count == 10 else { continue }
                checksum &+= OutgoingEvent.payload(of: batch).count
                batch.removeAll(keepingCapacity: true)
            }
            keep_result(Int64(checksum))
        }
    }
}

/// A decision and its user.
private final class Decided: Sendable {
    let decision: Decision
    let user: User

    init(decision: Decision, user: User) {
        self.decision = decision
        self.user = user
    }
}
