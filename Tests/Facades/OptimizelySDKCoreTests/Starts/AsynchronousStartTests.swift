import Foundation
import Optimizely
import OptimizelySDKiOS
import TestSupport
import Testing
import TurnoutClient

/// Clients that are created after a download, and datafile managers.
@Suite struct AsynchronousStartTests {
    private let rig = Rig()
    private let clock = ManualClock()
    private let date = "Wed, 01 Jan 2020 00:00:00 GMT"

    /// A rig with a manual clock, and with this rig's datafile cache.
    private var patientRig: Rig {
        var rig = rig
        rig.world.clock = clock
        return rig
    }

    private func keep(_ datafile: OldDatafile) throws {
        try rig.world.datafiles.keep(DatafileCopy(datafile: Array(datafile.data), lastModified: date), for: "key")
    }

    /// Advances the clock until a condition is true.
    private func pass(until isTrue: () -> Bool) async throws {
        try await wait("pauses") {
            if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
            return isTrue()
        }
    }

    /// Starts a manager while the clock advances.
    private func start(_ manager: OPTLYManager) async throws -> (error: NSError?, client: OPTLYClient?) {
        let outcomes = Collected<(error: NSError?, client: OPTLYClient?)>()
        manager.initialize { error, client in outcomes.add((error.map { $0 as NSError }, client)) }
        try await pass { outcomes.count > 0 }
        #expect(outcomes.count == 1)
        return outcomes.all[0]
    }

    @Test("A-17") func aNewDatafileIsUsedAndKept() async throws {
        rig.net.publish(OldDatafile(revision: "2"))
        let manager = try rig.manager()
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2" && manager.getOptimizely() === client)
        let copy = try rig.world.datafiles.copy(for: "key")
        #expect(copy?.datafile == Array(OldDatafile(revision: "2").data) && copy?.lastModified == date)
        #expect(manager.datafileManager?.isDatafileCached() == true)
    }

    @Test("A-17, in a file") func datafilesAreCachedByteForByte() async throws {
        let directory = TemporaryDirectory()
        var rig = rig
        rig.world.datafiles = FileDatafileCache(directory: directory.url)
        rig.net.publish(OldDatafile(revision: "2"))
        #expect(try await rig.manager().initialized().client?.revision == "2")
        // As after a restart of the program, without a network.
        rig.world.datafiles = FileDatafileCache(directory: directory.url)
        rig.net.setOffline(true)
        let later = try rig.manager()
        #expect(later.initialize()?.revision == "2")
        #expect(try rig.world.datafiles.copy(for: "key")?.lastModified == date)
        // A file as the Objective-C library wrote it.
        try OldDatafile(revision: "1").data.write(to: directory.url.appending(path: "key"))
        #expect(later.initialize()?.revision == "1")
    }

    @Test("A-18") func theNextStartSendsAConditionalRequest() async throws {
        rig.net.publish(OldDatafile(revision: "2"))
        _ = try await rig.manager().initialized()
        let before = rig.net.downloads.count
        let manager = try rig.manager()
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2")
        #expect(rig.net.downloads.dropFirst(before).allSatisfy { $0.headers["If-Modified-Since"] == date })
        #expect(rig.net.downloads.count > before)
        let config = try required(manager.datafileConfig)
        let answers = Collected<(status: Int?, data: Data?)>()
        manager.datafileManager?.downloadDatafile(config) { data, response, _ in
            answers.add(((response as? HTTPURLResponse)?.statusCode, data))
        }
        try await wait("the answer") { answers.count == 1 }
        #expect(answers.all[0].status == 304 && answers.all[0].data == nil)
    }

    @Test("A-19") func offlineTheCachedDatafileIsUsed() async throws {
        try keep(OldDatafile(revision: "2"))
        rig.net.setOffline(true)
        let (error, client) = try await start(try patientRig.manager())
        #expect(error?.code == 12 && client?.revision == "2")
    }

    @Test("A-20") func offlineTheBundledDatafileIsTheLastResort() async throws {
        rig.net.setOffline(true)
        let (error, client) = try await start(try patientRig.manager { $0.datafile = OldDatafile(revision: "9").data })
        #expect(error != nil && client?.revision == "9")
        let (_, dummy) = try await start(try patientRig.manager())
        #expect(dummy != nil && dummy?.optimizely == nil)
    }

    private func polling(_ rig: Rig, every interval: TimeInterval) -> OPTLYDatafileManagerDefault? {
        rig.make {
            OPTLYDatafileManagerDefault(
                builder: OPTLYDatafileManagerBuilder { builder in
                    builder?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "key")
                    builder?.datafileFetchInterval = interval
                    builder?.logger = rig.logger
                    builder?.errorHandler = rig.errors
                })
        }
    }

    @Test("A-21", arguments: [404, 200]) func anErrorPageIsNotUsedAsADatafile(status: Int) async throws {
        try keep(OldDatafile(revision: "2"))
        rig.net.fail(status)
        let datafiles = try required(polling(patientRig, every: 300))
        let (error, client) = try await patientRig.manager { $0.datafileManager = datafiles }.initialized()
        #expect(error != nil && client?.revision == "2")
        #expect(datafiles.getSavedDatafile(nil) == OldDatafile(revision: "2").data)
    }

    @Test("A-22") func threeAttemptsAreEnough() async throws {
        rig.net.fail(500)
        let rig = patientRig
        let elapsed = clock.stopwatch()
        let (error, client) = try await start(try rig.manager { $0.startTimeout = 0 })
        #expect(error?.code == Int(OPTLYErrorTypes.httpRequestManager.rawValue) && client?.optimizely == nil)
        #expect(elapsed() == .seconds(3) && rig.net.downloads.count == 3, "no pause after the last attempt")
        #expect(rig.errors.codes == [12], "told once, though two have asked")
    }

    @Test func anUnusableAddressIsTriedOnce() async throws {
        var rig = patientRig
        let transport = MemoryTransport { _ in throw TransportError(.badAddress, "http is not accepted") }
        rig.world.transport = transport
        let (error, _) = await (try rig.manager()).initialized()
        #expect(error?.localizedDescription.hasSuffix("cdn.optimizely.com: http is not accepted") == true)
        // One for the datafile manager's own download, and one for the start unless it shares the first.
        #expect((1...2).contains(transport.requests.count))
        #expect(rig.logger.texts(.error).contains { $0.contains("http is not accepted") })
    }

    @Test(arguments: [nil, 2.5])
    func anUnresponsiveServerDelaysAStartUpToTheTimeout(limit: TimeInterval?) async throws {
        var rig = patientRig
        let gate = Gate()
        rig.world.transport = MemoryTransport { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array(OldDatafile(revision: "10").data))
        }
        let manager = try rig.manager {
            $0.datafile = OldDatafile(revision: "9").data
            if let limit { $0.startTimeout = limit }
        }
        let outcomes = Collected<(error: NSError?, client: OPTLYClient?)>()
        manager.initialize { error, client in outcomes.add((error.map { $0 as NSError }, client)) }
        try await wait("the start") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds((limit ?? 10) - 0.1))
        #expect(outcomes.count == 0)
        clock.advance(by: .milliseconds(101))
        try await wait("the client") { outcomes.count == 1 }
        #expect(outcomes.all[0].client?.revision == "9" && outcomes.all[0].error?.code == 12)
        #expect(outcomes.all[0].error?.localizedDescription.contains("within") == true)
        // A late datafile is used from the next start on.
        gate.open()
        try await wait("the datafile") { manager.datafileManager?.isDatafileCached() == true }
        #expect(manager.getOptimizely()?.revision == "9" && manager.initialize()?.revision == "10")
    }

    @Test("A-23") func newDatafilesApplyFromTheNextStart() async throws {
        rig.net.publish(OldDatafile(revision: "1"))
        let rig = patientRig
        let datafiles = try required(polling(rig, every: 120))
        let manager = try rig.manager { $0.datafileManager = datafiles }
        let client = try required(await manager.initialized().client)
        rig.net.publish(OldDatafile(revision: "2", sticky: "12"), date: "Thu, 02 Jan 2020 00:00:00 GMT")
        try await pass { datafiles.getSavedDatafile(nil) == OldDatafile(revision: "2", sticky: "12").data }
        #expect(client.revision == "1" && manager.getOptimizely() === client)
        #expect(client.variation("sticky", userId: "new")?.variationKey == "first")
        #expect(manager.initialize()?.revision == "2")
        #expect(client.revision == "1")
    }

    @Test("A-24", arguments: [(30, 120), (0, 0), (120, 120), (300, 300), (-1, nil), (.nan, nil)])
    func tooShortAnIntervalIsTwoMinutes(wanted: TimeInterval, effective: TimeInterval?) {
        #expect(polling(patientRig, every: wanted)?.datafileFetchInterval == effective)
        let warnings = rig.logger.texts(.warning).filter { $0.contains("below the minimum") }
        #expect(warnings.count == (wanted == 30 ? 1 : 0))
    }

    @Test func nothingIsFetchedInTheBackground() async throws {
        var rig = patientRig
        let center = NotificationCenter()
        rig.world.notifications = center
        rig.net.publish(OldDatafile())
        let datafiles = polling(rig, every: 120)
        try await wait("the first request") { rig.net.downloads.count == 1 && clock.sleeperCount == 1 }
        center.post(name: .init("UIApplicationDidEnterBackgroundNotification"), object: nil)
        for _ in 0..<3 {
            clock.advance(by: .seconds(140))
            try await wait("a sleeper") { clock.sleeperCount == 1 }
        }
        #expect(rig.net.downloads.count == 1)
        center.post(name: .init("UIApplicationDidBecomeActiveNotification"), object: nil)
        try await wait("what was due") { rig.net.downloads.count == 2 }
        try await pass { rig.net.downloads.count == 3 }
        withExtendedLifetime(datafiles) {}
    }

    @Test func aProjectsIDNamesItsPrimaryDatafile() async throws {
        rig.net.publish(OldDatafile(revision: "2"))
        let manager = try rig.manager { ($0.sdkKey, $0.projectId) = (nil, "12345678") }
        #expect(await manager.initialized().client?.revision == "2")
        #expect(rig.net.downloads[0].url == "https://cdn.optimizely.com/json/12345678.json")
    }

    @Test func customDatafileManagersAreCalled() async throws {
        let silent = try rig.manager {
            $0.datafileManager = OPTLYDatafileManagerNoOp()
            $0.datafile = OldDatafile(revision: "9").data
        }
        let (error, client) = await silent.initialized()
        #expect(error == nil && client?.revision == "9")
        rig.net.publish(OldDatafile(revision: "3"))
        let basic = try required(rig.make { OPTLYManagerBasic(builder: rig.builder()) })
        #expect(await basic.initialized().client?.revision == "3")
        #expect(basic.initialize()?.revision == "3")
    }
}
