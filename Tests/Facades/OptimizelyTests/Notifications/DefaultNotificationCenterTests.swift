@Suite(.ownThread) struct DefaultNotificationCenterTests {
    private let center = DefaultNotificationCenter()
    private let experiment: OptimizelyExperimentData = ["key": "e", "id": "1"]
    private let variation: OptimizelyVariationData = ["key": "v", "id": "2"]

    private func send(_ type: NotificationType, _ args: Any?...) {
        center.sendNotifications(type: type.rawValue, args: args)
    }

    // MARK: Ids

    @Test func idsStartAtOneAndIncreaseAcrossTypes() {
        #expect(center.notificationId == 1)
        #expect(center.addDecisionNotificationListener { _, _, _, _ in } == 1)
        #expect(center.addGenericNotificationListener(notificationType: 77) { _ in } == 2)
        #expect(center.notificationId == 3)
        center.notificationId = 100
        center.clearAllNotificationListeners()
        #expect(center.addLogEventNotificationListener { _, _ in } == 3)
    }

    // MARK: Arguments

    @Test func typedListenersReceiveTheirArguments() {
        var received: [String] = []
        _ = center.addActivateNotificationListener { experiment, user, attributes, variation, event in
            received.append(
                "\(experiment["key"] ?? "") \(user) \(attributes?.count ?? -1) \(variation["id"] ?? "") \(event.count)")
        }
        _ = center.addTrackNotificationListener { key, user, attributes, tags, event in
            received.append("\(key) \(user) \(attributes?.count ?? -1) \(tags?.count ?? -1) \(event.count)")
        }
        _ = center.addDecisionNotificationListener(decisionListener: { type, user, attributes, info in
            received.append("\(type) \(user) \(attributes?.count ?? -1) \(info.count)")
        })
        _ = center.addDatafileChangeNotificationListener { received.append("\($0.count) bytes") }
        _ = center.addLogEventNotificationListener { url, event in received.append("\(url) \(event.count)") }
        let attributes: OptimizelyAttributes = ["a": 1, "b": nil]
        let none: OptimizelyAttributes? = nil
        send(.activate, experiment, "ada", attributes, variation, ["url": "u"])
        send(.track, "bought", "ada", none as Any, nil, [String: Any]())
        send(.decision, "flag", "ada", [String: Any?](), ["flagKey": "f"])
        send(.datafileChange, Data([1, 2]))
        send(.logEvent, "https://x", ["a": 1])
        #expect(received == ["e ada 2 2 1", "bought ada -1 -1 0", "flag ada 0 1", "2 bytes", "https://x 1"])
    }

    @Test func typedListenersSkipArgumentsOfOtherTypes() {
        var calls = 0
        _ = center.addActivateNotificationListener { _, _, _, _, _ in calls += 1 }
        _ = center.addTrackNotificationListener { _, _, _, _, _ in calls += 1 }
        _ = center.addDecisionNotificationListener { _, _, _, _ in calls += 1 }
        _ = center.addDatafileChangeNotificationListener { _ in calls += 1 }
        _ = center.addLogEventNotificationListener { _, _ in calls += 1 }
        for type in [NotificationType.activate, .track, .decision, .datafileChange, .logEvent] {
            send(type)
            send(type, 1)
            send(type, "a", "b", 5, ["c": 1], ["d": 1])
            send(type, nil, nil, nil, nil, nil)
        }
        #expect(calls == 0)
    }

    @Test func genericListenersReceiveOneList() {
        var received: [Any?]?
        _ = center.addGenericNotificationListener(notificationType: 4711) { args in
            #expect(args.count == 1)
            received = args[0] as? [Any?]
        }
        center.sendNotifications(type: 4711, args: ["a", nil, 3])
        #expect(received?.count == 3 && received?[0] as? String == "a" && received?[2] as? Int == 3)
    }

    // MARK: Order and membership

    @Test func listenersAreCalledInTheOrderTheyWereAdded() {
        var order: [Int] = []
        for number in 0..<20 { _ = center.addDatafileChangeNotificationListener { _ in order.append(number) } }
        send(.datafileChange, Data())
        #expect(order == Array(0..<20))
    }

    @Test func removedListenersAreNotCalled() {
        var received: [String] = []
        let first = center.addDatafileChangeNotificationListener { _ in received.append("first") }
        _ = center.addDatafileChangeNotificationListener { _ in received.append("second") }
        _ = center.addLogEventNotificationListener { _, _ in received.append("log") }
        center.removeNotificationListener(notificationId: first ?? 0)
        center.removeNotificationListener(notificationId: 999)
        send(.datafileChange, Data())
        center.clearNotificationListeners(type: .datafileChange)
        send(.datafileChange, Data())
        send(.logEvent, "u", [String: Any]())
        center.clearAllNotificationListeners()
        send(.logEvent, "u", [String: Any]())
        #expect(received == ["second", "log"])
    }

    @Test func hasListenersIsAccurate() {
        #expect(!center.hasListeners(for: NotificationType.decision.rawValue))
        let id = center.addDecisionNotificationListener { _, _, _, _ in }
        #expect(center.hasListeners(for: NotificationType.decision.rawValue))
        #expect(!center.hasListeners(for: NotificationType.track.rawValue))
        center.removeNotificationListener(notificationId: id ?? 0)
        #expect(!center.hasListeners(for: NotificationType.decision.rawValue))
    }

    @Test func listenersMayChangeTheCenter() {
        var received: [String] = []
        let center = center
        _ = center.addDatafileChangeNotificationListener { _ in
            received.append("once")
            center.clearAllNotificationListeners()
            _ = center.addDatafileChangeNotificationListener { _ in received.append("later") }
        }
        send(.datafileChange, Data())
        #expect(received == ["once"])
        send(.datafileChange, Data())
        #expect(received == ["once", "later"])
    }

    @Test func capturedObjectsMayUseTheCenterInDeinit() {
        final class Owner {
            let center: DefaultNotificationCenter
            init(_ center: DefaultNotificationCenter) { self.center = center }
            deinit { center.clearAllNotificationListeners() }
        }
        let id = center.addDatafileChangeNotificationListener { [owner = Owner(center)] _ in _ = owner.center }
        center.removeNotificationListener(notificationId: id ?? 0)
        #expect(!center.hasListeners(for: NotificationType.datafileChange.rawValue))
    }

    @Test func aCenterIsThreadSafe() async {
        let calls = Counter()
        let center = center
        await concurrently(0..<100) { _ in
            let id = center.addGenericNotificationListener(notificationType: 9) { _ in calls.add() }
            center.sendNotifications(type: 9, args: [])
            center.removeNotificationListener(notificationId: id ?? 0)
        }
        #expect(calls.value >= 100 && center.notificationId == 101)
        #expect(!center.hasListeners(for: 9))
    }
}
