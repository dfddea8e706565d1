import Synchronization
import TestSupport
import TurnoutFlags
import TurnoutServer

@Suite("Sources of datafiles")
struct DatafileSourceTests {
    private let directory = DatafileDirectory()
    private let log = MemoryLog()

    // MARK: Files

    private struct Broken: Error {}

    /// A source whose files seem to change all the time.
    private func watch(
        _ name: String = "datafiles", load: @escaping @Sendable () throws -> WatchedDatafiles.Contents
    ) -> WatchedDatafiles {
        WatchedDatafiles(name, into: directory, log: log, fingerprint: { [] }, load: load)
    }

    @Test func aChangedFileIsServed() throws {
        let file = Locked((datafile(revision: "1"), Int64(1)))
        let watched = WatchedDatafiles("flags.yaml", into: directory, log: log) {
            [FileFingerprint(path: "flags.yaml", node: 1, size: 1, statusChangeTime: file.withLock { $0.1 })]
        } load: {
            .init(["key": file.withLock { $0.0 }])
        }
        try watched.start()
        #expect(directory["key"]?.project.revision == "1")
        file.withLock { $0 = (datafile(revision: "2"), 2) }
        watched.check()
        #expect(directory["key"]?.project.revision == "2")
        file.withLock { $0 = (Array("{".utf8), 3) }
        // The first failure may be a half-written file.
        watched.check()
        #expect(directory.problems.isEmpty)
        watched.check()
        #expect(directory.problems["flags.yaml"] != nil)
        #expect(directory["key"]?.project.revision == "2")
        #expect(log.entries.last?.message.hasSuffix("; the datafiles served before stay in use") == true)
        file.withLock { $0 = (datafile(revision: "3"), 4) }
        watched.check()
        #expect(directory.problems.isEmpty)
        #expect(directory["key"]?.project.revision == "3")
    }

    @Test func aKeyThatIsGoneIsUnknown() throws {
        let keys = Locked(["a": datafile(revision: "1"), "b": datafile(revision: "1")])
        let watched = watch { .init(keys.withLock { $0 }) }
        try watched.start()
        keys.withLock { $0["a"] = nil }
        watched.reload()
        #expect(directory.sdkKeys == ["b"])
    }

    @Test func designsAreThoseOfTheProjectNow() throws {
        let metric = ExperimentMetric(event: "purchase", aggregation: .revenuePerConversion)
        var contents = WatchedDatafiles.Contents(["a": datafile(revision: "1")])
        contents.designs = ["1": ExperimentDesign([metric])]
        let files = Locked(contents)
        let watched = watch { files.withLock { $0 } }
        try watched.start()
        #expect(directory.design(ofRule: "1")?.metrics == [metric] && directory.design(ofRule: "2") == nil)
        files.withLock { $0.designs = [:] }
        watched.reload()
        #expect(directory.design(ofRule: "1") == nil)
    }

    /// A datafile that appears while another one is broken is one of the source's, too.
    @Test func aKeyThatAppearedBesideABrokenFileIsRemoved() throws {
        let contents = Locked(WatchedDatafiles.Contents(["a": datafile(revision: "1")]))
        let watched = watch { contents.withLock { $0 } }
        try watched.start()
        contents.withLock { contents in
            contents.problems = ["c.json is broken"]
            contents.datafiles["b"] = datafile(revision: "1")
        }
        watched.reload()
        contents.withLock { $0.datafiles["b"] = nil }
        watched.reload()
        #expect(directory.sdkKeys == ["a", "b"], "unreadable files may have other keys")
        contents.withLock { $0.problems = [] }
        watched.reload()
        #expect(directory.sdkKeys == ["a"])
    }

    @Test func aKeyOfTwoSourcesIsServedUntilBothAreGone() throws {
        let keys = Locked(["key": datafile(revision: "2")])
        let folder = watch { .init(keys.withLock { $0 }) }
        let isBroken = Locked(false)
        let file = watch("flags.yaml") {
            if isBroken.withLock({ $0 }) { throw Broken() }
            return .init(["key": datafile(revision: "1")])
        }
        try file.start()
        try folder.start()
        #expect(directory["key"]?.project.revision == "2")
        keys.withLock { $0 = [:] }
        folder.reload()
        #expect(directory["key"] == nil)
        file.check()
        #expect(directory["key"]?.project.revision == "1")
        // A failure is not repeated with each check.
        isBroken.withLock { $0 = true }
        directory.remove("key")
        for _ in 0..<3 { file.check() }
        #expect(log.entries.count { $0.message.contains("stay in use") } == 1)
    }

    @Test func aServerDoesNotStartWithoutUsableFlags() {
        let watched = watch { throw Broken() }
        #expect(throws: Broken.self) { try watched.start() }
    }

    // MARK: Upstream

    @Test func upstreamIsAskedOnceAndThenPolled() async throws {
        let clock = ManualClock()
        let source = MemoryDatafileSource(datafile(revision: "1"))
        let created = Locked(0)
        let upstream = UpstreamDatafiles(into: directory, clock: clock, log: log) { _ in
            created.withLock { $0 += 1 }
            return source
        }
        async let first = upstream.datafile("key")
        async let second = upstream.datafile("key")
        #expect(try await [first.project.revision, second.project.revision] == ["1", "1"])
        #expect(created.withLock { $0 } == 1)
        source.publish(datafile(revision: "2"))
        try await wait("the next poll") {
            clock.advance(by: .seconds(70))
            return directory["key"]?.project.revision == "2"
        }
        source.fail(with: Broken())
        try await wait("a failed poll") {
            clock.advance(by: .seconds(70))
            upstream.touch("key")
            return !directory.problems.isEmpty
        }
        #expect(directory["key"]?.project.revision == "2")
        try await wait("an idle key") {
            clock.advance(by: .seconds(3_700))
            return directory["key"] == nil
        }
        upstream.close()
    }

    @Test func unknownKeysAreRefusedWithoutAskingAgain() async {
        let clock = ManualClock()
        let created = Locked(0)
        let upstream = UpstreamDatafiles(into: directory, clock: clock, log: log) { _ in
            created.withLock { $0 += 1 }
            let source = MemoryDatafileSource()
            source.fail(with: DatafileSourceError.status(403))
            return source
        }
        #expect(await upstream.load("key") == .unknownKey)
        #expect(await upstream.load("key") == .unknownKey)
        #expect(created.withLock { $0 } == 1)
        clock.advance(by: .seconds(31))
        #expect(await upstream.load("key") == .unknownKey)
        #expect(created.withLock { $0 } == 2)
        upstream.close()
    }

    @Test func theCachedDatafileIsServedWithoutUpstream() async {
        let source = MemoryDatafileSource(datafile(revision: "1"))
        source.fail(with: DatafileSourceError.status(503))
        let upstream = UpstreamDatafiles(into: directory, log: log) { _ in source }
        await upstream.start(["key"]).value
        #expect(directory["key"]?.project.revision == "1")
        #expect(directory.problems.count == 1)
        upstream.close()
    }

    @Test func theCachedDatafileIsServedWhileUpstreamHangs() async throws {
        let clock = ManualClock()
        let source = HangingSource(try Datafile(datafile(revision: "1")))
        let upstream = UpstreamDatafiles(into: directory, clock: clock, log: log) { _ in source }
        let start = upstream.start(["key"])
        #expect(upstream.isStarting && directory["key"] == nil)
        try await wait("the cached datafile") {
            clock.advance(by: .seconds(1))
            return directory["key"]?.project.revision == "1"
        }
        await start.value
        #expect(!upstream.isStarting)
        // A later request was faster.
        source.answer(try Datafile(datafile(revision: "2")), copy: try Datafile(datafile(revision: "3")))
        try await wait("the newest datafile") { directory["key"]?.project.revision == "3" }
        upstream.close()
    }

    @Test func aDatafileThatChangesWithoutItsRevisionIsReported() throws {
        let environment = Locked("a")
        let watched = watch { .init(["key": datafile(revision: "1", environment: environment.withLock { $0 })]) }
        try watched.start()
        environment.withLock { $0 = "b" }
        watched.reload()
        #expect(log.entries.last?.level == .warning)
        #expect(log.entries.last?.message.contains("has changed, but its revision has not") == true)
    }
}

/// A source whose first request is answered when a test says so.
private final class HangingSource: DatafileSource {
    private let copy: Locked<Datafile>
    private let result = OneShot<Datafile?>()

    init(_ cached: Datafile) { copy = Locked(cached) }

    func newest() async -> Datafile? { await result.value() ?? nil }
    func cached() -> Datafile? { copy.withLock { $0 } }

    func answer(_ datafile: Datafile, copy: Datafile) {
        self.copy.withLock { $0 = copy }
        result.end(datafile)
    }
}
