@Suite(.ownThread) struct ListenerTests {
    private let setup: TestSetup
    private let count = Counter()
    private var client: OptimizelyClient { setup.client }

    init() throws { setup = try TestSetup() }

    private func listen(_ body: @escaping () -> Void) -> Int {
        setup.center.addTrackNotificationListener { _, _, _, _, _ in body() } ?? -1
    }

    private func track() throws { try client.track(eventKey: "purchase", userId: "u") }

    @Test func listenersRunOffTheCallersThreadOneAtATime() throws {
        let caller = Thread.current
        let running = Counter()
        let overlaps = Counter()
        _ = listen {
            #expect(Thread.current !== caller)
            running.add()
            usleep(200)
            if running.value != 1 { overlaps.add() }
            running.add(-1)
        }
        DispatchQueue.concurrentPerform(iterations: 50) { _ in try? track() }
        setup.settle()
        #expect(overlaps.value == 0 && setup.dispatcher.events.count == 50)
    }

    @Test func aListenerMayRemoveItself() throws {
        let id = Counter()
        let added = listen {
            count.add()
            setup.center.removeNotificationListener(notificationId: id.value)
        }
        id.add(added)
        for _ in 0..<3 { try track() }
        setup.settle()
        #expect(count.value == 1)
    }

    @Test func aListenerMayDecideAndTrack() throws {
        let user = setup.user()
        _ = setup.center.addDecisionNotificationListener { _, _, _, _ in count.add() }
        _ = listen {
            #expect(user.decide(key: "tested").enabled && user.decideAll().count == 7)
            #expect(client.isFeatureEnabled(featureKey: "rolled", userId: "u"))
            user.setAttribute(key: "a", value: 1)
        }
        try track()
        setup.settle()
        setup.settle()
        #expect(count.value == 9)
    }

    @Test func aListenerMayWaitForADecision() async throws {
        let user = setup.user()
        let decision = await withCheckedContinuation { continuation in
            _ = listen {
                let done = DispatchSemaphore(value: 0)
                user.decideAsync(key: "tested") {
                    continuation.resume(returning: $0)
                    done.signal()
                }
                done.wait()
            }
            try? track()
        }
        #expect(decision.enabled)
    }

    @Test func threadsWaitingForRoomDoNotCountAsAStuckListener() {
        let queue = ListenerQueue(ListenerOptions(queueLimit: 8, timeout: .seconds(5)), log: .silent)
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            for _ in 0..<25 {
                queue.add { [count] in
                    usleep(100); count.add()
                }
            }
        }
        queue.drain(within: .seconds(60))
        #expect(queue.lostCount == 0 && count.value == 400)
    }

    @Test func aCustomCenterReceivesOneClientsNotifications() throws {
        let key = UUID().uuidString
        let (one, two) = (try TestSetup(sdkKey: key), try TestSetup(sdkKey: key))
        let own = OwnCenter()
        one.client.notificationCenter = own
        #expect(one.client.notificationCenter as? OwnCenter === own)
        #expect(two.client.notificationCenter is DefaultNotificationCenter)
        try one.client.track(eventKey: "purchase", userId: "u")
        try two.client.track(eventKey: "purchase", userId: "u")
        one.settle()
        two.settle()
        #expect(own.journal.lines == ["2 5"])
        one.client.notificationCenter = nil
        try one.client.track(eventKey: "purchase", userId: "u")
        one.settle()
        #expect(own.journal.lines.count == 1)
    }
}

/// A center that only counts calls.
private final class OwnCenter: OPTNotificationCenter {
    let journal = Journal()
    var notificationId: Int {
        get { 1 }
        set {}
    }
    func addGenericNotificationListener(notificationType: Int, listener: @escaping GenericListener) -> Int? { nil }
    func addActivateNotificationListener(activateListener: @escaping ActivateListener) -> Int? { nil }
    func addTrackNotificationListener(trackListener: @escaping TrackListener) -> Int? { nil }
    func addDecisionNotificationListener(decisionListener: @escaping DecisionListener) -> Int? { nil }
    func addDatafileChangeNotificationListener(datafileListener: @escaping DatafileChangeListener) -> Int? { nil }
    func addLogEventNotificationListener(logEventListener: @escaping LogEventListener) -> Int? { nil }
    func removeNotificationListener(notificationId: Int) {}
    func clearNotificationListeners(type: NotificationType) {}
    func clearAllNotificationListeners() {}
    func sendNotifications(type: Int, args: [Any?]) { journal.add("\(type) \(args.count)") }
}
