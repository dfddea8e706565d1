/// What clients with the same SDK key share.
@Suite(.ownThread) struct SharingTests {
    private let key = UUID().uuidString

    @Test func theFirstClientsServicesAreUsed() throws {
        let first = try TestSetup(sdkKey: key, handler: ScriptedHandler(cache: ShopDatafile.revision("8")))
        let second = try TestSetup(sdkKey: key)
        #expect(second.revision == "8" && second.client.datafileHandler as? ScriptedHandler === first.handler)
        #expect(first.center as? DefaultNotificationCenter === second.center as? DefaultNotificationCenter)
        _ = second.user().decide(key: "tested")
        second.settle()
        #expect(first.dispatcher.events.count == 1 && second.dispatcher.events.isEmpty)
        #expect(first.profiles.assignments(of: "ada") == ["3": "31"] && second.profiles.journal.lines.isEmpty)
    }

    @Test func listenersReceiveEventsOfAllClients() throws {
        let (first, second) = (try TestSetup(sdkKey: key), try TestSetup(sdkKey: key))
        let received = RecordedNotifications()
        received.listen(to: first.center)
        try second.client.track(eventKey: "purchase", userId: "u")
        second.settle()
        #expect(received.conversions.count == 1)
    }

    @Test func ignoredServicesCauseAWarning() throws {
        let first = try TestSetup(sdkKey: key)
        #expect(!first.logger.has(.warning))
        let second = try TestSetup(sdkKey: key)
        #expect(second.logger.has(.warning, "SDK key") && !first.logger.has(.warning))
        #expect(!second.logger.journal.lines.contains { $0.contains(key) }, "but not the key")
    }

    @Test func noWarningForDefaultOrIdenticalServices() throws {
        let first = try TestSetup(sdkKey: key)
        let loggers = [RecordingMessages(), RecordingMessages()]
        let nothing = OptimizelyClient(sdkKey: key, logger: loggers[0])
        let same = OptimizelyClient(
            sdkKey: key, logger: loggers[1], eventDispatcher: first.dispatcher, datafileHandler: first.handler,
            userProfileService: first.profiles)
        #expect(loggers.allSatisfy { $0.journal.lines.isEmpty })
        _ = (nothing, same)
    }

    @Test func otherKeysShareNothing() throws {
        let (one, other) = (try TestSetup(sdkKey: key), try TestSetup())
        let received = RecordedNotifications()
        received.listen(to: one.center)
        #expect(other.client.setForcedVariation(experimentKey: "sticky", userId: "ada", variationKey: "second"))
        _ = try other.client.activate(experimentKey: "sticky", userId: "ada")
        other.settle()
        #expect(received.decisions.isEmpty && one.dispatcher.events.isEmpty && one.profiles.journal.lines.isEmpty)
        #expect(one.client.getForcedVariation(experimentKey: "sticky", userId: "ada") == nil)
        #expect(other.center as? DefaultNotificationCenter !== one.center as? DefaultNotificationCenter)
    }

    @Test func datafilesAndForcedVariationsAreNotShared() throws {
        let (first, second) = (try TestSetup(sdkKey: key), try TestSetup(nil, sdkKey: key))
        #expect(first.revision == "7" && second.revision == nil)
        try second.client.start(datafile: ShopDatafile.revision("8"), doFetchDatafileBackground: false)
        #expect(first.revision == "7" && second.revision == "8")
        #expect(second.client.setForcedVariation(experimentKey: "ab", userId: "u", variationKey: "on"))
        #expect(first.client.getForcedVariation(experimentKey: "ab", userId: "u") == nil)
    }

    @Test func servicesAreReleasedWithTheLastClient() throws {
        weak var dispatcher: RecordingDispatcher?
        weak var center: DefaultNotificationCenter?
        do {
            var first: TestSetup? = try TestSetup(sdkKey: key)
            let second = try TestSetup(sdkKey: key)
            dispatcher = first?.dispatcher
            center = first?.center as? DefaultNotificationCenter
            first = nil
            #expect(dispatcher != nil && center != nil)
            _ = second.user().decide(key: "tested")
            second.settle()
            #expect(dispatcher?.events.count == 1)
        }
        #expect(dispatcher == nil && center == nil)
        let third = try TestSetup(sdkKey: key)
        #expect(!third.logger.has(.warning))
        _ = third.user().decide(key: "tested")
        third.settle()
        #expect(third.dispatcher.events.count == 1)
    }

    @Test func manyClientsAtOnce() {
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            let setup = try? TestSetup(sdkKey: index % 2 == 0 ? key : "\(key) \(index)")
            #expect(setup?.user().decide(key: "tested").enabled == true)
        }
    }

    @Test func oneServiceMayServeSeveralKeys() throws {
        let profiles = RecordingProfiles()
        let clients = (0..<2).map { _ in
            OptimizelyClient(
                sdkKey: UUID().uuidString, eventDispatcher: RecordingDispatcher(), datafileHandler: ScriptedHandler(),
                userProfileService: profiles)
        }
        for client in clients { try client.start(datafile: ShopDatafile.data) }
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            let experiment = index % 4 < 2 ? "ab" : "sticky"
            _ = try? clients[index % 2].getVariationKey(experimentKey: experiment, userId: "u\(index / 4)")
        }
        for user in 0..<10 { #expect(profiles.assignments(of: "u\(user)") == ["1": "11", "6": "61"]) }
    }
}
