/// Listeners receive what they subscribed to, in order, and cannot harm the program.
@Suite struct ListenerTests {
    private static let script = Script(.always("a", "1"), .always("b", "2"), .event("purchase"))
    private let client = FlagClient.scripted(Self.script)

    @Test func notificationsAreDeliveredInOrder() async throws {
        let received = Collected<String>()
        client.addListener {
            switch $0 {
            case .decision(let decision, let user): received.add("\(user.id) gets \(decision.variationKey ?? "-")")
            case .impression(let impression, let user): received.add("\(user.id) sees \(impression.flagKey)")
            case .conversion(let conversion, let user): received.add("\(user.id) does \(conversion.eventKey)")
            case .datafileChange(let project): received.add("revision \(project.revision)")
            case .stalenessChange(let isStale): received.add(isStale ? "stale" : "current")
            }
        }
        _ = client.user("ada").decideAll()
        try client.user("ada").track("purchase")
        var next = Self.script
        next.revision = "2"
        try client.update(to: next.datafile)
        await client.close()
        #expect(
            received.all == ["ada sees a", "ada gets 1", "ada sees b", "ada gets 2", "ada does purchase", "revision 2"])
    }

    @Test func listenersReceiveOnlyTheirKinds() async throws {
        let received = (Collected<NotificationKinds>(), Collected<NotificationKinds>())
        client.addListener(to: .conversions) { received.0.add($0.kind) }
        client.addListener(to: [.decisions, .impressions]) { received.1.add($0.kind) }
        _ = client.user("ada").decide("a")
        try client.user("ada").track("purchase")
        await client.close()
        #expect(received.0.all == [.conversions])
        #expect(received.1.all == [.impressions, .decisions])
    }

    @Test func errorsAreNotAnnounced() async {
        let received = Collected<Bool>()
        client.addListener { _ in received.add(true) }
        _ = client.user("ada").decide("unknown")
        try? client.user("ada").track("unknown")
        _ = FlagClient(.quiet()).user("ada").decide("a")
        await client.close()
        #expect(received.count == 0)
    }

    @Test func disabledImpressionsAreNotAnnounced() async {
        let received = Collected<NotificationKinds>()
        client.addListener { received.add($0.kind) }
        _ = client.user("ada").decide("a", options: .disableDecisionEvent)
        await client.close()
        #expect(received.all == [.decisions])
    }

    @Test func listenersCanBeRemoved() async {
        let received = Collected<Int>()
        let ids = (0..<3).map { number in client.addListener(to: .decisions) { _ in received.add(number) } }
        client.removeListener(ids[1])
        client.removeListener(ids[1])
        _ = client.user("ada").decide("a")
        await client.close()
        #expect(received.all == [0, 2])
    }

    @Test func listenersCanBeRemovedByListeners() async {
        let (received, later) = (Collected<Int>(), Collected<ListenerID>())
        client.addListener(to: .decisions) { [weak client = self.client] _ in
            received.add(1)
            for id in later.all { client?.removeListener(id) }
        }
        later.add(client.addListener(to: .decisions) { _ in received.add(2) })
        for _ in 0..<2 {
            _ = client.user("ada").decide("a")
            await client.close()
        }
        #expect(received.all == [1, 2, 1], "a listener removed during a notification may still receive it")
    }

    @Test func listenersMayUseTheClient() async throws {
        let received = Collected<String>()
        client.addListener(to: .decisions) { [weak client = self.client] notification in
            guard case .decision(let decision, let user) = notification else { return }
            received.add(decision.flagKey)
            if decision.flagKey == "a" { _ = client?.decide("b", for: user) }
            client?.addListener { _ in }
        }
        _ = client.user("ada").decide("a")
        try await wait("the listener's own decision is announced") { received.all == ["a", "b"] }
        await client.close()
    }

    @Test func slowListenersLoseNothing() async {
        let log = MemoryLog(level: .warning)
        let client = FlagClient.scripted(
            Self.script,
            configuration: .quiet {
                $0.listenerOptions = ListenerOptions(queueLimit: 10, timeout: .seconds(60))
                $0.log = log
            })
        let received = Collected<String>()
        client.addListener(to: .decisions) { if case .decision(_, let user) = $0 { received.add(user.id) } }
        for number in 0..<1_000 { _ = client.user("\(number)").decide("a") }
        await client.close()
        #expect(received.all == (0..<1_000).map(String.init))
        #expect(client.lostNotificationCount == 0 && !log.entries.contains { $0.message.contains("listener") })
    }

    @Test func stuckListenersAreBoundedAndCounted() async {
        let (log, latch, received) = (MemoryLog(level: .warning), Latch(), Collected<Bool>())
        let client = FlagClient.scripted(
            Self.script,
            configuration: .quiet {
                $0.listenerOptions = ListenerOptions(queueLimit: 10, timeout: .milliseconds(1))
                $0.log = log
            })
        client.addListener(to: .conversions) { _ in
            latch.pass()
            received.add(true)
        }
        for _ in 0..<1_000 { try? client.user("ada").track("purchase") }
        let lost = client.lostNotificationCount
        // Up to 21 were accepted: those being delivered, and those queued.
        #expect((979...999).contains(lost))
        #expect(log.entries.first?.message == "a listener is stuck: 1 notifications lost so far")
        #expect(log.entries.count <= 10)
        latch.open()
        await client.close()
        #expect(received.count == 1_000 - lost)
        try? client.user("ada").track("purchase")
        await client.close()
        #expect(received.count == 1_001 - lost, "the listener is called again")
    }

    @Test func stuckListenersDoNotDelayClosing() async throws {
        let (clock, latch, log) = (ManualClock(), Latch(), MemoryLog())
        let client = FlagClient.scripted(
            Self.script,
            configuration: .quiet {
                $0.clock = clock
                $0.log = log
            })
        client.addListener { _ in latch.pass() }
        _ = client.user("ada").decide("a")
        let end = Task { await client.close(within: .seconds(5)) }
        try await wait("it waits for the listener") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(5))
        await end.value
        #expect(log.entries.contains { $0.message == "closed while a listener is stuck" })
        latch.open()
    }

    // MARK: Sequences

    @Test func sequencesDeliverAllNotifications() async throws {
        let notifications = client.notifications(of: [.conversions, .datafileChanges])
        for _ in 0..<3 { try client.user("ada").track("purchase") }
        var next = Self.script
        next.revision = "2"
        try client.update(to: next.datafile)
        var kinds: [NotificationKinds] = []
        for await notification in notifications {
            kinds.append(notification.kind)
            if case .datafileChange = notification { break }
        }
        #expect(kinds == [.conversions, .conversions, .conversions, .datafileChanges])
    }

    @Test func slowReadersReceiveTheNewest() async throws {
        let notifications = client.notifications(of: .decisions, limit: 2)
        for number in 0..<5 { _ = client.user("\(number)").decide("a") }
        await client.close()
        var ids: [String] = []
        for await case .decision(_, let user) in notifications {
            ids.append(user.id)
            if ids.count == 2 { break }
        }
        #expect(ids == ["3", "4"])
    }

    @Test func cancelledReadersAreRemoved() async {
        let task = Task { [notifications = client.notifications()] in for await _ in notifications {} }
        task.cancel()
        await task.value
        _ = client.user("ada").decide("a")
        await client.close()
        #expect(client.lostNotificationCount == 0)
    }
}
