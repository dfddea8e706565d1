import Foundation
import Optimizely
import Testing
import TurnoutClient

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
        var downloadCount: Int { downloads.withLock { $0 } }
    }

    final class Box: Sendable {
        let datafiles = Locked<[Data]>([])
    }

    @Test("downloads one datafile at a time, and passes each to the callback")
    func cycle() async {
        let (handler, box) = (CountingHandler(), Box())
        handler.minimumPollingInterval = 1
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        let begin = ContinuousClock.now
        handler.startUpdates(sdkKey: "key") { data in box.datafiles.withLock { $0.append(data) } }
        handler.startUpdates(sdkKey: "key") { _ in Issue.record("it runs already") }
        #expect(handler.downloadCount == 0)
        // On a busy machine this test may be late; downloads may then be more, but not more frequent.
        #expect(await eventually { handler.downloadCount >= 3 })
        #expect(ContinuousClock.now - begin > .seconds(2.9))
        #expect(await eventually { box.datafiles.withLock { $0.count } >= 2 })
        handler.stopUpdates(sdkKey: "key")
        #expect(
            box.datafiles.withLock { $0.prefix(2) } == [emptyDatafile(revision: "1"), emptyDatafile(revision: "3")])
        #expect(!handler.hasPeriodicInterval(sdkKey: "key"))
        let count = handler.downloadCount
        try? await Task.sleep(for: .seconds(1.3))
        // One download may have been in progress when polling was stopped.
        #expect(handler.downloadCount <= count + 1)
    }

    @Test("needs an interval")
    func interval() async {
        let handler = CountingHandler()
        handler.minimumPollingInterval = 1
        for interval in [0, -5] { handler.setPeriodicInterval(sdkKey: "key", interval: interval) }
        #expect(!handler.hasPeriodicInterval(sdkKey: "key"))
        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
        try? await Task.sleep(for: .seconds(1.2))
        #expect(handler.downloadCount == 0)
    }

    @Test("keeps the first interval of a key until it is stopped")
    func firstInterval() async {
        let handler = CountingHandler()
        handler.minimumPollingInterval = 1
        handler.setPeriodicInterval(sdkKey: "key", interval: 300)
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
        try? await Task.sleep(for: .seconds(1.2))
        #expect(handler.downloadCount == 0)
        handler.stopAllUpdates()
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
        #expect(await eventually { handler.downloadCount > 0 })
        handler.stopAllUpdates()
    }

    @Test("has a minimum interval, with a warning")
    func floor() {
        let (handler, log) = (MemoryHandler(), MemoryLog())
        handler.log = log
        handler.setPeriodicInterval(sdkKey: "slow", interval: 120)
        #expect(log.entries.isEmpty)
        handler.setPeriodicInterval(sdkKey: "key", interval: 60)
        #expect(log.entries.map(\.level) == [.warning])
        #expect(log.entries.first?.message.contains("120") == true)
        #expect(handler.hasPeriodicInterval(sdkKey: "key"))
    }

    @Test(
        "respects Retry-After",
        arguments: [
            ["Retry-After": "3600"],
            // On a server whose clock is late.
            ["Retry-After": "Wed, 21 Oct 2015 08:28:00 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"],
        ])
    func retryAfter(headers: [String: String]) async {
        let transport = MemoryTransport { _ in HTTPResponse(status: 503, headers: headers) }
        let (handler, box) = (MemoryHandler(), Box())
        handler.transport = transport
        handler.log = .silent
        handler.minimumPollingInterval = 1
        handler.saveDatafile(sdkKey: "key", dataFile: emptyDatafile(revision: "1"))
        handler.setPeriodicInterval(sdkKey: "key", interval: 1)
        handler.startUpdates(sdkKey: "key") { data in box.datafiles.withLock { $0.append(data) } }
        #expect(await eventually { box.datafiles.withLock { $0.count } == 1 })
        try? await Task.sleep(for: .seconds(1.3))
        #expect(transport.requests.count == 1)
        handler.stopAllUpdates()
    }

    @Test("can be stopped in the callback, and retains neither the callback nor the handler")
    func ownership() async {
        final class LifetimeProbe: Sendable {}
        weak let abandoned: MemoryHandler?
        let callback = Locked(WeakReference())
        let handler = CountingHandler()
        handler.minimumPollingInterval = 1
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
        #expect(await eventually { handler.downloadCount == 1 })
        #expect(await eventually { callback.withLock { $0.object } == nil })
        try? await Task.sleep(for: .seconds(1.2))
        #expect(handler.downloadCount == 1)
    }

    private struct WeakReference {
        weak var object: AnyObject?
    }
}
