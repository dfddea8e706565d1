@Suite("Polling", .ownThread)
struct PollingTests {
    /// Counts downloads, and returns a datafile with that number as its revision.
    final class CountingHandler: MemoryHandler {
        let downloads = Locked(0)
        override func downloadDatafile(
            sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double? = nil,
            completionHandler: @escaping DatafileDownloadCompletionHandler
        ) {
            let number = downloads.withLock { count in
                count += 1
                return count
            }
            completionHandler(.success(number == 2 ? nil : emptyDatafile(revision: "\(number)")))
        }
        /// A handler that polls by a clock, at any interval from one second on.
        convenience init(_ clock: ManualClock) {
            self.init()
            self.clock = clock
            minimumPollingInterval = 1
        }

        var downloadCount: Int { downloads.withLock { $0 } }
    }

    private let clock = ManualClock()

    /// Lets a call run that must not have been made.
    private func callsEnd() async { await BlockingCall.value {} }

    #if os(Linux)
        /// In a separate process, because other tests use memory at the same time.
        @Test("releases its timer when it is stopped")
        func released() async {
            await #expect(processExitsWith: .success) {
                func poll() async throws {
                    for _ in 0..<4_000 {
                        let handler = MemoryHandler()
                        handler.setPeriodicInterval(sdkKey: "key", interval: 3_600)
                        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
                        handler.stopUpdates(sdkKey: "key")
                    }
                    try await Task.sleep(for: .milliseconds(200))
                }
                for _ in 0..<3 { try await poll() }
                let before = residentMegabytes()
                for _ in 0..<9 { try await poll() }
                // 36,000 timers that stay need 27 MB, and 165 MB with their tasks.
                guard let before, let after = residentMegabytes() else { return }
                #expect(after - before < 18, "\(after - before) MB more")
            }
        }
    #endif

    @Test("downloads one datafile at a time, and passes each to the callback")
    func cycle() async throws {
        let (handler, datafiles) = (CountingHandler(clock), Collected<Data>())
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key") { datafiles.add($0) }
        handler.startUpdates(sdkKey: "key") { _ in Issue.record("it runs already") }
        for count in 0..<3 {
            try await wait("a pause") { clock.sleeperCount == 1 }
            // Shorter than the minimum interval.
            clock.advance(by: .milliseconds(999))
            #expect(handler.downloadCount == count && clock.sleeperCount == 1)
            // Longer than the interval and its jitter together.
            clock.advance(by: .milliseconds(101))
            try await wait("a download") { handler.downloadCount == count + 1 }
        }
        try await wait("a pause") { clock.sleeperCount == 1 }
        handler.stopUpdates(sdkKey: "key")
        try await wait("the end of the timer") { clock.sleeperCount == 0 }
        #expect(datafiles.all == [emptyDatafile(revision: "1"), emptyDatafile(revision: "3")])
        #expect(!handler.hasPeriodicInterval(sdkKey: "key"))
        clock.advance(by: .seconds(2))
        await callsEnd()
        #expect(handler.downloadCount == 3 && clock.sleeperCount == 0)
    }

    @Test("needs an interval")
    func interval() async {
        let handler = CountingHandler(clock)
        for interval in [0, -5] { handler.setPeriodicInterval(sdkKey: "key", interval: interval) }
        #expect(!handler.hasPeriodicInterval(sdkKey: "key"))
        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
        await callsEnd()
        #expect(handler.downloadCount == 0 && clock.sleeperCount == 0)
    }

    @Test("keeps the first interval of a key until it is stopped")
    func firstInterval() async throws {
        let handler = CountingHandler(clock)
        handler.setPeriodicInterval(sdkKey: "key", interval: 300)
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
        try await wait("a pause") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(269))
        #expect(handler.downloadCount == 0 && clock.sleeperCount == 1)
        handler.stopAllUpdates()
        clock.advance(by: .seconds(61))
        await callsEnd()
        #expect(handler.downloadCount == 0 && clock.sleeperCount == 0)
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
        try await wait("a pause") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(2))
        try await wait("a download") { handler.downloadCount == 1 }
        handler.stopAllUpdates()
    }

    @Test(
        "respects Retry-After",
        arguments: [
            ["Retry-After": "3600"],
            // On a server whose clock is late.
            ["Retry-After": "Wed, 21 Oct 2015 08:28:00 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"],
        ])
    func retryAfter(headers: [String: String]) async throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: 503, headers: headers) }
        let (handler, datafiles) = (MemoryHandler(), Collected<Data>())
        handler.transport = transport
        handler.clock = clock
        handler.log = .silent
        handler.minimumPollingInterval = 1
        handler.saveDatafile(sdkKey: "key", dataFile: emptyDatafile(revision: "1"))
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key") { datafiles.add($0) }
        try await wait("a pause") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(2))
        try await wait("a pause") { datafiles.count == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(3_599))
        #expect(transport.requests.count == 1 && clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await wait("the second request") { transport.requests.count == 2 }
        handler.stopAllUpdates()
    }

    @Test("can be stopped in the callback, and retains neither the callback nor the handler")
    func ownership() async throws {
        final class LifetimeProbe: Sendable {}
        weak let abandoned: MemoryHandler?
        let callback = Locked(WeakReference())
        let handler = CountingHandler(clock)
        do {
            let witness = LifetimeProbe()
            callback.withLock { $0.object = witness }
            handler.setPeriodicInterval(sdkKey: "key", interval: 1)
            handler.startUpdates(sdkKey: "key") { [unowned handler] _ in
                withExtendedLifetime(witness) { handler.stopUpdates(sdkKey: "key") }
            }
            let other = MemoryHandler()
            other.setPeriodicInterval(sdkKey: "key", interval: 300)
            other.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
            abandoned = other
        }
        #expect(abandoned == nil)
        try await wait("a pause") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(2))
        try await wait("a download") { handler.downloadCount == 1 }
        try await wait("the release of the callback") { callback.withLock { $0.object } == nil }
        await callsEnd()
        clock.advance(by: .seconds(2))
        #expect(handler.downloadCount == 1 && clock.sleeperCount == 0)
    }

    private struct WeakReference { weak var object: AnyObject? }
}
