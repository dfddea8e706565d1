import Testing
import TurnoutClient

/// The delivery state machine as a table of inputs and actions.
@Suite struct DeliveryStateTests {
    /// Feeds inputs to a state, and describes its actions as text.
    private struct Table {
        var state: DeliveryState
        var now = Duration.zero
        var waiting: Int

        init(waiting: Int, _ change: (inout EventOptions) -> Void = { _ in }) {
            var options = EventOptions()
            change(&options)
            state = DeliveryState(options: options, random: EvenChance())
            self.waiting = waiting
        }

        /// Expects actions for an input; reports are left out.
        mutating func expect(
            _ input: DeliveryState.Input, _ expected: String..., location: SourceLocation = #_sourceLocation
        ) {
            let actions = state.handle(input, at: .init(now: now, waiting: waiting)).compactMap(Self.words)
            #expect(actions == expected, sourceLocation: location)
        }

        private static func words(_ action: DeliveryState.Action) -> String? {
            func list(_ ids: [Int64]) -> String {
                guard ids.count > 6, ids == Array(ids[0]...ids[ids.count - 1]) else {
                    return ids.map { "\($0)" }.joined(separator: " ")
                }
                return "\(ids[0])…\(ids[ids.count - 1])"
            }
            return switch action {
            case .lock: "lock"
            case .unlock: "unlock"
            case .fetch(let count, .min): "fetch \(count)"
            case .fetch(let count, let id): "fetch \(count) after \(id)"
            case .send(let batch): "#\(batch.number): send \(list(batch.ids))"
            case .remove(let ids): "remove \(list(ids))"
            case .reject(let ids): "reject \(list(ids))"
            case .expire(let ids): "expire \(list(ids))"
            case .wake(let time): "wake after \(time.roundedLogText)"
            case .report: nil
            case .finish(let waiters): "finish \(waiters)"
            }
        }
    }

    private static func events(
        _ ids: ClosedRange<Int64>, users: Int64 = .max, envelope: String = "{\"visitors\":["
    ) -> [StoredEvent] {
        ids.map { id in
            let visitor = "{\"visitor_id\":\"user \(id % users)\"}"
            let group = OutgoingEvent.Group(region: .us, envelope: envelope)
            return StoredEvent(id: id, event: OutgoingEvent(group: group, visitor: Array(visitor.utf8)))
        }
    }

    private static let accepted = DeliveryResult.reply(.accepted)
    private static let refused = DeliveryResult.reply(.refused(status: 400))

    @Test func fewEventsAreSentInSequentialRequests() {
        var table = Table(waiting: 13)
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 10")
        table.expect(.fetched(Self.events(1...10)), "#1: send 1…10", "fetch 10 after 10")
        table.expect(.fetched(Self.events(11...13)))
        table.waiting = 3
        table.expect(.completed(1, Self.accepted), "remove 1…10", "fetch 7 after 13")
        table.expect(.fetched([]), "#2: send 11 12 13")
        table.waiting = 0
        table.expect(.completed(2, Self.accepted), "remove 11 12 13", "fetch 10 after 13")
        table.expect(.fetched([]), "unlock")
    }

    @Test func failuresAreRepeatedAndThenBlockTheAddress() {
        var table = Table(waiting: 2)
        table.expect(.flush(7), "lock")
        table.expect(.locked(true), "fetch 10")
        table.expect(.fetched(Self.events(1...2)), "#1: send 1 2")
        table.expect(.completed(1, .failed("host not found")), "wake after 0.2 s", "fetch 1000 after 2")
        table.expect(.fetched([]))
        table.now += .milliseconds(200)
        table.expect(.timer, "fetch 10")
        table.expect(.fetched(Self.events(1...2)), "#2: send 1 2")
        table.expect(.completed(2, .reply(.busy(status: 503))), "wake after 0.4 s", "fetch 1000 after 2")
        table.expect(.fetched([]))
        table.now += .milliseconds(400)
        table.expect(.timer, "fetch 10")
        table.expect(.fetched(Self.events(1...2)), "#3: send 1 2")
        table.expect(.completed(3, .reply(.busy(status: 503))), "wake after 0.8 s", "fetch 1000 after 2")
        table.expect(.fetched([]), "unlock", "finish [7]")
        table.expect(.timer)
        table.now += .milliseconds(800)
        table.expect(.timer, "lock")
    }

    @Test func anAddressThatIsRefusedIsNotTriedAgainBeforeAFlush() {
        var table = Table(waiting: 1)
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 10")
        table.expect(.fetched(Self.events(1...1)), "#1: send 1")
        table.expect(.completed(1, .badAddress("http is not allowed")), "fetch 1000 after 1")
        table.expect(.fetched([]), "unlock")
        table.now += .seconds(86_400)
        table.expect(.timer)
        table.expect(.flush(1), "lock")
        table.expect(.locked(true), "fetch 10")
    }

    @Test func aBacklogIsSentInFourGrowingRequests() {
        var table = Table(waiting: 400)
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 400")
        let actions = table.state.handle(.fetched(Self.events(1...400)), at: .init(now: .zero, waiting: 400))
        #expect(Self.batches(actions).map(\.ids.count) == [100], "one, until the receiver has accepted one")
        #expect(actions.last == .fetch(100, after: 400))
        _ = table.state.handle(.fetched([]), at: .init(now: .zero, waiting: 400))
        let more = table.state.handle(.completed(1, Self.accepted), at: .init(now: .zero, waiting: 300))
        if case .fetch? = more.last {} else { Issue.record("\(more)") }
        let rest = table.state.handle(.fetched([]), at: .init(now: .zero, waiting: 300))
        let batches = Self.batches(more + rest)
        #expect(batches.count == 4 && batches.allSatisfy { $0.ids.count > 40 })
        for batch in batches { #expect(batch.ids == batch.ids.sorted()) }
    }

    @Test func eventsOfAUserAreNeverInTwoRequestsAtOnce() {
        var table = Table(waiting: 1_000)
        var inFlight: [Int: [StoredEvent]] = [:]
        var (arrived, rest) = ([StoredEvent](), Self.events(1...1_000, users: 37))
        var inputs: [DeliveryState.Input] = [.wake]
        var hasTimer = false
        let random = SeededRandomSource(seed: 11)
        func next() -> DeliveryState.Input? {
            if let input = inputs.popLast() { return input }
            let numbers = inFlight.keys.sorted()
            if !numbers.isEmpty { return Self.result(numbers[Int(random.next() % UInt64(numbers.count))]) }
            defer { hasTimer = false }
            return hasTimer ? .timer : nil
        }
        while let input = next() {
            if case .completed(let number, let result) = input, let batch = inFlight.removeValue(forKey: number),
                result == Self.accepted
            {
                arrived += batch
            }
            let left = 1_000 - arrived.count
            for action in table.state.handle(input, at: .init(now: table.now, waiting: left)) {
                switch action {
                case .lock: inputs.append(.locked(true))
                case .fetch(let count, let id):
                    inputs.append(.fetched(Array(rest.lazy.filter { $0.id > id }.prefix(count))))
                case .send(let batch):
                    let users = Set(inFlight.values.joined().map(\.event.userKey))
                    #expect(users.isDisjoint(with: batch.events.map(\.event.userKey)))
                    inFlight[batch.number] = batch.events
                    #expect(inFlight.count <= 4)
                case .remove(let ids): rest.removeAll { ids.contains($0.id) }
                case .wake(let time):
                    table.now += time
                    hasTimer = true
                default: break
                }
            }
        }
        #expect(arrived.count == 1_000, "seed 11")
        for events in Dictionary(grouping: arrived, by: \.event.userKey).values {
            #expect(events.map(\.id) == events.map(\.id).sorted(), "seed 11")
        }
    }

    private static func result(_ number: Int) -> DeliveryState.Input {
        .completed(number, number % 5 == 2 ? .reply(.busy(status: 503)) : accepted)
    }

    private static func batches(_ actions: [DeliveryState.Action]) -> [DeliveryBatch] {
        actions.compactMap { if case .send(let batch) = $0 { batch } else { nil } }
    }

    // MARK: Refusals

    @Test func aRefusedEventIsDiscardedIfAnotherIsAccepted() {
        var table = Table(waiting: 2)
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 10")
        table.expect(.fetched(Self.events(1...2)), "#1: send 1 2")
        table.expect(.completed(1, Self.refused), "fetch 10")
        table.expect(.fetched(Self.events(1...2)), "#2: send 1")
        table.expect(.completed(2, Self.refused), "wake after 0.2 s", "fetch 1000 after 2")
        table.expect(.fetched([]), "#3: send 2")
        table.expect(.completed(3, Self.accepted), "remove 2", "reject 1", "fetch 1000 after 2")
        table.expect(.fetched([]), "unlock")
    }

    @Test func threeRefusalsInARowBlockTheReceiver() {
        var table = Table(waiting: 4) { $0.eventsPerRequest = 1 }
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 1")
        table.expect(.fetched(Self.events(1...1)), "#1: send 1", "fetch 1 after 1")
        table.expect(.fetched(Self.events(2...2)))
        table.expect(.completed(1, Self.refused), "wake after 0.2 s", "#2: send 2", "fetch 1000 after 2")
        table.expect(.fetched(Self.events(3...4)))
        table.expect(.completed(2, Self.refused), "wake after 0.4 s", "#3: send 3")
        table.expect(.completed(3, Self.refused), "wake after 0.8 s", "fetch 1000 after 4")
        table.expect(.fetched([]), "unlock")
        table.now += .milliseconds(800)
        table.expect(.timer, "lock")
        table.expect(.locked(true), "fetch 1000")
        // An event that was not tried before.
        table.expect(.fetched(Self.events(1...4)), "#4: send 4")
        table.expect(.completed(4, Self.refused), "wake after 1.6 s", "fetch 1000 after 4")
        table.expect(.fetched([]), "unlock")
        table.now += .milliseconds(1_600)
        table.expect(.timer, "lock")
        table.expect(.locked(true), "fetch 1000")
        table.expect(.fetched(Self.events(1...4)), "#5: send 1")
        table.expect(.completed(5, Self.accepted), "remove 1", "fetch 1")
        // Refused again, after the receiver has accepted another event.
        table.expect(.fetched(Self.events(2...2)), "#6: send 2", "fetch 1 after 2")
        table.expect(.fetched(Self.events(3...3)))
        table.expect(.completed(6, Self.refused), "reject 2", "#7: send 3", "fetch 1000 after 3")
    }

    @Test func acceptedEventsOfOtherGroupsDoNotDiscardRefusedOnes() {
        var table = Table(waiting: 2)
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 10")
        let other = Self.events(2...2, envelope: "{\"project_id\":\"2\",\"visitors\":[")
        table.expect(.fetched(Self.events(1...1) + other), "#1: send 1")
        table.expect(.completed(1, Self.refused), "wake after 0.2 s", "fetch 1000 after 2")
        table.expect(.fetched([]), "#2: send 2")
        table.expect(.completed(2, Self.accepted), "remove 2", "fetch 1000 after 2")
        table.expect(.fetched([]), "unlock")
        table.now += .milliseconds(200)
        table.expect(.timer, "lock")
        table.expect(.locked(true), "fetch 10")
        table.expect(.fetched(Self.events(1...1)), "#3: send 1")
        table.expect(.completed(3, Self.refused), "wake after 0.4 s", "fetch 1000 after 1")
        table.expect(.fetched([]), "unlock")
    }
}
