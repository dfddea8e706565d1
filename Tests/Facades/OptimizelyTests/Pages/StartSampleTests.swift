import Foundation
import Optimizely
import Testing

// "More sample code" of the page "Initialize the Swift SDK": S1 to S3 and A1 to A3.

@Suite(.ownThread) struct StartSampleTests {
    private let localDatafile = PageDatafile.text()
    private let datafiles = PageDatafiles(
        server: PageDatafile.data(revision: "2", variation: "blue"), answersLater: true)
    private let flagKey = "flagKey"
    private let userId = "ada"

    private func makeClient(_ key: String = newKey()) -> OptimizelyClient {
        OptimizelyClient(
            sdkKey: key, logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: datafiles)
    }

    private func makePollingClient() -> OptimizelyClient {
        OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: datafiles,
            periodicDownloadInterval: 60)
    }

    private func revision(_ client: OptimizelyClient) throws -> String { try client.getOptimizelyConfig().revision }

    // MARK: [Synchronous]

    // [S1]
    @Test func whatIsFetchedInTheBackgroundIsForTheNextSession() throws {
        let key = newKey()
        let optimizely = makeClient(key)
        try? optimizely.start(datafile: localDatafile)
        let user = optimizely.createUserContext(userId: userId)
        let decision = user.decide(key: "flagKey")
        let variationKey = decision.variationKey
        #expect(variationKey == "red")

        datafiles.answer()
        #expect(try revision(optimizely) == "1" && user.decide(key: "flagKey").variationKey == "red")
        let next = makeClient(key)
        try next.start(datafile: localDatafile)
        #expect(try revision(next) == "2")
        #expect(next.createUserContext(userId: "bob").decide(key: "flagKey").variationKey == "blue")
    }

    // [S2]
    @Test func whatIsFetchedInTheBackgroundReplacesTheDatafileIfAskedTo() throws {
        let changes = Journal()
        let optimizely = makeClient()
        _ = optimizely.notificationCenter?.addDatafileChangeNotificationListener { _ in
            changes.add((try? optimizely.getOptimizelyConfig().revision) ?? "none")
        }
        try? optimizely.start(
            datafile: localDatafile,
            doUpdateConfigOnNewDatafile: true)
        let user = optimizely.createUserContext(userId: userId)
        let decision = user.decide(key: flagKey, options: [.ignoreUserProfileService])
        let variationKey = decision.variationKey
        #expect(variationKey == "red")

        datafiles.answer()
        #expect(try revision(optimizely) == "2")
        #expect(user.decide(key: flagKey).variationKey == "blue")
        optimizely.close()
        #expect(changes.lines == ["2"])
    }

    // [S2], as the library always had it
    @Test func dataCanBeReplacedInTheBackground() throws {
        let optimizely = makeClient()
        try? optimizely.start(datafile: PageDatafile.data(), doUpdateConfigOnNewDatafile: true)
        datafiles.answer()
        #expect(try revision(optimizely) == "2")
    }

    // [S3]
    @Test func pollingClientsTakeOverWhatIsFetchedInTheBackground() throws {
        let optimizely = makePollingClient()
        try? optimizely.start(datafile: localDatafile)
        let user = optimizely.createUserContext(userId: userId)
        let decision = user.decide(key: flagKey, options: [.ignoreUserProfileService])
        let variationKey = decision.variationKey
        #expect(variationKey == "red")

        datafiles.answer()
        #expect(try revision(optimizely) == "2")
        datafiles.publish(PageDatafile.data(revision: "3"))
        #expect(datafiles.poll())
        #expect(try revision(optimizely) == "3")
        #expect(user.decide(key: flagKey).variationKey == "red")
    }

    // MARK: [Asynchronous]

    // [A1]
    @Test func callbacksCanAssignVariables() throws {
        var user: OptimizelyUserContext?
        var calls = 0
        let flagKey = flagKey
        let optimizely = makeClient()
        optimizely.start { [userId] result in
            user = optimizely.createUserContext(userId: userId)
            let decision = user?.decide(key: flagKey)
            let variationKey = decision?.variationKey
            #expect(variationKey == "blue")
            calls += 1
        }
        #expect(user == nil)
        datafiles.answer()
        #expect(user?.userId == "ada" && calls == 1)
        #expect(try revision(optimizely) == "2")
    }

    // [A2]
    @Test func clientsThatWereStartedAsynchronouslyPoll() throws {
        var user: OptimizelyUserContext?
        let optimizely = makePollingClient()
        optimizely.start { result in
            user = optimizely.createUserContext(userId: userId)
            let decision = user?.decide(key: flagKey)
            let variationKey = decision?.variationKey
            #expect(variationKey == "blue")
        }
        datafiles.answer()
        #expect(user != nil)
        datafiles.publish(PageDatafile.data(revision: "3"))
        #expect(datafiles.poll())
        #expect(try revision(optimizely) == "3")
    }

    // [A3]
    @Test func tasksWaitForTheStart() async throws {
        let datafiles = PageDatafiles(server: PageDatafile.data(revision: "2"))
        let optimizely = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: datafiles,
            periodicDownloadInterval: 60)
        if #available(iOS 13, *) {
            let task = Task { [optimizely] in
                do {
                    try await optimizely.start()
                } catch {
                    Issue.record("Optimizely SDK initiliazation failed: \(error)")
                }
            }
            await task.value
        }
        #expect(try revision(optimizely) == "2")
    }

    // [A3]
    @Test func tasksCatchWhyTheStartFailed() async {
        let optimizely = OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(),
            datafileHandler: PageDatafiles(server: nil), periodicDownloadInterval: 60)
        let task = Task { [optimizely] in
            do {
                try await optimizely.start()
                return "started"
            } catch {
                return "Optimizely SDK initiliazation failed: \(error)"
            }
        }
        #expect(await task.value.hasPrefix("Optimizely SDK initiliazation failed: [Optimizely][Error] "))
        await #expect(throws: OptimizelyError.self) { try await optimizely.start() }
    }
}
