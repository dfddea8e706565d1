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

    @Test func aUsersEventsStayInOrderAcrossGroups() {
        var table = Table(waiting: 3)
        table.expect(.wake, "lock")
        table.expect(.locked(true), "fetch 10")
        let other = Self.events(2...2, users: 1, envelope: "{\"project_id\":\"2\",\"visitors\":[")
        let events = Self.events(1...1) + other + Self.events(3...3, users: 1) + Self.events(4...4)
        table.expect(.fetched(events), "#1: send 1 4")
        table.expect(.completed(1, Self.accepted), "remove 1 4", "fetch 8 after 4")
        table.expect(.fetched([]), "#2: send 2")
        table.expect(.completed(2, Self.accepted), "remove 2", "fetch 9 after 4")
        table.expect(.fetched([]), "#3: send 3")
    }

    /// Delivers events until nothing happens any more, with results and the order of responses by chance.
    @Test(arguments: 1...10) func validEventsArriveInOrderAndInvalidOnesAreSetAside(seed: UInt64) {
        var table = Table(waiting: 1_000)
        let random = SeededRandomSource(seed: seed)
        let invalid = Set((0..<30).map { _ in Int64(random.next() % 1_000) + 1 } + Array(400...404))
        var rest = Self.events(1...500, users: 37) + Self.events(501...1_000, users: 37, envelope: "[")
        var (inputs, inFlight, arrived) = ([DeliveryState.Input.wake], [DeliveryBatch](), [StoredEvent]())
        var (setAside, steps, hasTimer) = (Set<Int64>(), 0, false)
        while !inputs.isEmpty || !inFlight.isEmpty || hasTimer {
            steps += 1
            if inputs.isEmpty, let batch = inFlight.popLast() {
                let isBusy = random.next() % 5 == 0
                let result = invalid.isDisjoint(with: batch.ids) ? Self.accepted : Self.refused
                if !isBusy, result == Self.accepted { arrived += batch.events }
                inputs = [.completed(batch.number, isBusy ? .reply(.busy(status: 503)) : result)]
            } else if inputs.isEmpty {
                (inputs, hasTimer) = ([.timer], false)
            }
            for action in table.state.handle(inputs.removeFirst(), at: .init(now: table.now, waiting: rest.count)) {
                switch action {
                case .lock: inputs.append(.locked(true))
                case .fetch(let count, let id):
                    inputs.append(.fetched(Array(rest.lazy.filter { $0.id > id }.prefix(count))))
                case .send(let batch):
                    #expect(inFlight.isEmpty, "both groups have one address")
                    inFlight.append(batch)
                case .remove(let ids): rest.removeAll { ids.contains($0.id) }
                case .reject(let ids):
                    rest.removeAll { ids.contains($0.id) }
                    setAside.formUnion(ids)
                case .wake(let time): (table.now, hasTimer) = (table.now + time, steps < 6_000)
                default: break
                }
            }
        }
        #expect(setAside.isSubset(of: invalid) && Set(rest.map(\.id)).isSubset(of: invalid))
        #expect(arrived.count == 1_000 - invalid.count)
        // The last ones of a group stay, if no valid event is left to compare them with.
        #expect(rest.count <= 12, "\(rest.map(\.id))")
        let users = Dictionary(grouping: arrived) { "\($0.event.user ?? "") \($0.event.group.envelope)" }
        for events in users.values { #expect(events.map(\.id) == events.map(\.id).sorted()) }
    }

    // MARK: Refusals

    @Test func threeRefusedEventsInARowPauseTheGroup() {
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
        // The newest one, and then a random one.
        table.expect(.fetched(Self.events(1...4)), "#4: send 4")
        table.expect(.completed(4, Self.refused), "wake after 1.6 s", "fetch 1000 after 4")
        table.expect(.fetched([]), "unlock")
        table.now += .milliseconds(1_600)
        table.expect(.timer, "lock")
        table.expect(.locked(true), "fetch 1000")
        table.expect(.fetched(Self.events(1...4)), "#5: send 3")
        table.expect(.completed(5, Self.accepted), "remove 3", "#6: send 1")
        table.expect(.completed(6, Self.refused), "reject 1", "#7: send 2")
        // Nothing was accepted since the last one was set aside.
        table.expect(.completed(7, Self.refused), "wake after 0.2 s", "#8: send 4", "fetch 1000 after 4")
        table.expect(.fetched([]))
        table.expect(.completed(8, Self.accepted), "remove 4", "reject 2", "fetch 1000 after 4")
        table.expect(.fetched([]), "unlock")
    }
}
