/// Concurrent callers with the same query share one request.
@Suite struct SegmentCacheTests {
    private let cache: SegmentCache<SegmentError>
    private let gate = Gate()
    private let requests = Collected<String>()
    /// One element for each cache access, and for each response.
    private let looks = Collected<Void>()

    init() {
        cache = SegmentCache(options: SegmentOptions()) { [looks] in
            looks.add(())
            return .zero
        }
    }

    /// Starts a request; returns its number once the gate is open.
    private func ask(_ user: String = "ada", _ options: FetchSegmentsOptions = []) async throws -> [String] {
        try await cache.segments(of: user, options: options) { [gate, requests] () async throws(SegmentError) in
            requests.add(user)
            let number = requests.count
            await gate.pass()
            if Task.isCancelled { throw .failed(CancellationError()) }
            return ["\(number)"]
        }
    }

    private func start(_ user: String = "ada", _ options: FetchSegmentsOptions = []) -> Task<[String], any Error> {
        Task { try await ask(user, options) }
    }

    /// Waits for a number of callers and of running requests.
    private func reached(asking count: Int, requests made: Int) async throws {
        // A query checks the cache once more before it is sent.
        try await wait("requests") { looks.count - requests.count == count && gate.waitingCount == made }
        // The cache access is followed by the wait.
        for _ in 0..<20 { await Task.yield() }
    }

    @Test func aCancelledCallerDoesNotEndTheWaitOfOthers() async throws {
        let (remaining, cancelled) = (start(), start())
        try await reached(asking: 2, requests: 1)
        cancelled.cancel()
        gate.open()
        #expect(try await remaining.value == ["1"])
        #expect(try await ask() == ["1"])
        #expect(requests.count == 1)
    }

    @Test func aLookupWithoutWaitingCallersIsCancelled() async throws {
        let tasks = [start(), start()]
        try await reached(asking: 2, requests: 1)
        for task in tasks { task.cancel() }
        // Does not join the canceled callers.
        let next = start()
        try await wait("another request") { gate.waitingCount == 2 }
        gate.open()
        for task in tasks { await #expect(throws: SegmentError.self) { try await task.value } }
        #expect(try await next.value == ["2"])
        #expect(try await ask() == ["2"])
    }

    @Test func aLookupThatBypassesTheCacheIsNotShared() async throws {
        let shared = start()
        try await reached(asking: 1, requests: 1)
        let own = start("ada", .ignoreCache)
        try await wait("another request") { gate.waitingCount == 2 }
        gate.open()
        #expect(try await shared.value == ["1"])
        #expect(try await own.value == ["2"])
        #expect(try await ask() == ["1"])
    }

    @Test(arguments: [false, true]) func aResponseFromBeforeTheResetIsNotCached(byOption: Bool) async throws {
        let early = start()
        try await reached(asking: 1, requests: 1)
        if !byOption { cache.reset() }
        let late = start("ada", byOption ? .resetCache : [])
        try await wait("another request") { gate.waitingCount == 2 }
        gate.open()
        #expect(try await early.value == ["1"])
        #expect(try await late.value == ["2"])
        #expect(try await ask() == ["2"])
    }

    @Test func aFailureIsSharedAndNotCached() async throws {
        let failing: @Sendable () async throws(SegmentError) -> [String] = { [gate, requests] () throws(SegmentError) in
            requests.add("ada")
            await gate.pass()
            throw .failed(TestError())
        }
        let tasks = (0..<3).map { _ in
            Task { [cache] in try await cache.segments(of: "ada", options: [], asking: failing) }
        }
        try await reached(asking: 3, requests: 1)
        gate.open()
        for task in tasks { await #expect(throws: SegmentError.self) { try await task.value } }
        let count = requests.count
        #expect(try await ask() == ["\(count + 1)"])
    }
}
