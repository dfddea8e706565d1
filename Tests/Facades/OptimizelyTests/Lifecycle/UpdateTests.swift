/// Datafile updates while the client runs.
@Suite(.ownThread) struct UpdateTests {
    private let setup: TestSetup
    private let received = RecordedNotifications()
    private var client: OptimizelyClient { setup.client }

    init() throws {
        setup = try TestSetup(ShopDatafile.revision("7"))
        received.listen(to: setup.center)
    }

    private func update(_ revision: String) { setup.handler.poll(ShopDatafile.revision(revision)) }

    @Test func anotherRevisionIsUsed() {
        update("8")
        #expect(setup.revision == "8")
        update("6")
        #expect(setup.revision == "6", "an older revision, too")
        setup.settle()
        #expect(received.datafiles == [ShopDatafile.revision("8"), ShopDatafile.revision("6")])
    }

    @Test func theSameContentIsIgnored() {
        update("7")
        setup.settle()
        #expect(received.datafiles.isEmpty)
    }

    @Test func otherContentWithTheSameRevisionIsUsed() throws {
        let other = ShopDatafile(revision: "7", sticky: "62").data
        setup.handler.poll(other)
        setup.settle()
        #expect(received.datafiles == [other])
        #expect(try client.getVariationKey(experimentKey: "sticky", userId: "u") == "second")
    }

    @Test func unusableDatafilesAreIgnored() {
        for text in ["", "{}", "nonsense"] { setup.handler.poll(Data(text.utf8)) }
        setup.settle()
        #expect(setup.revision == "7" && received.datafiles.isEmpty)
    }

    @Test func theNotificationComesAfterThoseOfEarlierDecisions() throws {
        let journal = setup.journal
        _ = setup.center.addDatafileChangeNotificationListener { _ in journal.add("datafile") }
        _ = setup.center.addTrackNotificationListener { _, _, _, _, _ in
            usleep(10_000)
            journal.add("track")
        }
        try client.track(eventKey: "purchase", userId: "u")
        update("8")
        try client.track(eventKey: "purchase", userId: "u")
        setup.settle()
        #expect(journal.lines.prefix(5) == ["event", "track", "datafile", "event", "track"])
        let revisions = setup.dispatcher.events.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(revisions[0].contains(#""revision":"7""#) && revisions[1].contains(#""revision":"8""#))
    }

    @Test func startsAreNotAnnounced() throws {
        try client.start(datafile: ShopDatafile.revision("8"), doFetchDatafileBackground: false)
        setup.handler.respond { $0(.success(ShopDatafile.revision("9"))) }
        client.start()
        setup.settle()
        #expect(setup.revision == "9" && received.datafiles.isEmpty)
    }

    @Test func forcedVariationsSurviveAnUpdateButNotAStart() throws {
        #expect(client.setForcedVariation(experimentKey: "sticky", userId: "u", variationKey: "second"))
        update("8")
        #expect(try client.getVariationKey(experimentKey: "sticky", userId: "u") == "second")
        try client.start(datafile: ShopDatafile.revision("8"), doFetchDatafileBackground: false)
        #expect(client.getForcedVariation(experimentKey: "sticky", userId: "u") == nil)
        #expect(try client.getVariationKey(experimentKey: "sticky", userId: "u") == "first")
    }

    @Test func contextsFollow() throws {
        let user = setup.user()
        let sticky = Data(ShopDatafile(revision: "8").text.replacingOccurrences(of: "\"tested\"", with: "\"new\"").utf8)
        #expect(user.decide(key: "tested").enabled)
        setup.handler.poll(sticky)
        #expect(user.decide(key: "new").enabled && !user.decide(key: "tested").enabled)
    }

    @Test func aListenerMayUpdateTheDatafile() throws {
        let done = DispatchSemaphore(value: 0)
        _ = setup.center.addTrackNotificationListener { _, _, _, _, _ in
            update("8")
            done.signal()
        }
        try client.track(eventKey: "purchase", userId: "u")
        #expect(done.wait(timeout: .now() + 30) == .success)
        setup.settle()
        #expect(setup.revision == "8" && received.datafiles.count == 1)
    }

    @Test func aClientWithoutADatafileTakesAnyUpdate() throws {
        let handler = ScriptedHandler(downloads: .success(Data("{}".utf8)))
        let setup = try TestSetup(nil, handler: handler)
        setup.client.start()
        #expect(setup.revision == nil && handler.journal.lines == ["download or cache"])
    }
}
