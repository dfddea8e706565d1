import Foundation
import Optimizely
import Testing
import TurnoutClient

/// Stands in for the server of datafiles, and for the cache on the device.
final class PageDatafiles: OPTDatafileHandler {
    private struct State {
        var server: Data?
        var saved: Data?
        var interval: Int?
        var answersLater = false
        var waiting: [Carried<() -> Void>] = []
        var update: Carried<((Data) -> Void)?> = Carried(nil)
        var downloads = 0
    }

    private let state: Locked<State>

    init(server: Data?, saved: Data? = nil, answersLater: Bool = false) {
        state = Locked(State(server: server, saved: saved, answersLater: answersLater))
    }

    convenience init() { self.init(server: nil) }

    var endPointStringFormat: String {
        get { "" }
        set {}
    }

    // MARK: What tests do and see

    /// What the server has from now on.
    func publish(_ datafile: Data?) { state.withLock { $0.server = datafile } }

    /// Answers the downloads that wait.
    func answer() {
        let waiting = state.withLock { state in
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        for answer in waiting { answer.value() }
    }

    /// Lets the interval pass once. Whether somebody polls.
    func poll() -> Bool {
        let (update, datafile) = state.withLock { ($0.interval == nil ? Carried(nil) : $0.update, $0.server) }
        guard let update = update.value, let datafile else { return false }
        saveDatafile(sdkKey: "", dataFile: datafile)
        update(datafile)
        return true
    }

    var interval: Int? { state.withLock { $0.interval } }
    var downloads: Int { state.withLock { $0.downloads } }
    var saved: Data? { state.withLock { $0.saved } }

    // MARK: OPTDatafileHandler

    func setPeriodicInterval(sdkKey: String, interval: Int) { state.withLock { $0.interval = interval } }
    func hasPeriodicInterval(sdkKey: String) -> Bool { state.withLock { $0.interval != nil } }
    func downloadDatafile(sdkKey: String) -> Data? { state.withLock { $0.server } }

    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        let completion = Carried(completionHandler)
        let answer = Carried { [self] in
            let datafile = state.withLock { state in
                state.saved = state.server ?? state.saved
                return state.server ?? (returnCacheIfNoChange ? state.saved : nil)
            }
            completion.value(datafile.map { .success($0) } ?? .failure(.datafileDownloadFailed("no network")))
        }
        let isLater = state.withLock { state in
            state.downloads += 1
            if state.answersLater { state.waiting.append(answer) }
            return state.answersLater
        }
        if !isLater { answer.value() }
    }

    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {
        let update = Carried(datafileChangeNotification)
        state.withLock { $0.update = update }
    }

    func stopUpdates(sdkKey: String) {
        state.withLock { state in
            state.interval = nil
            state.update = Carried(nil)
        }
    }

    func stopAllUpdates() { stopUpdates(sdkKey: "") }
    func saveDatafile(sdkKey: String, dataFile: Data) { state.withLock { $0.saved = dataFile } }
    func loadSavedDatafile(sdkKey: String) -> Data? { saved }
    func isDatafileSaved(sdkKey: String) -> Bool { saved != nil }
    func removeSavedDatafile(sdkKey: String) { state.withLock { $0.saved = nil } }
}

/// Stands in for the server of events.
final class PageEvents: OPTEventDispatcher {
    let journal: Journal

    init(_ journal: Journal = Journal()) { self.journal = journal }

    var count: Int { journal.lines.count }

    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        let isImpression = event.body.range(of: Data("campaign_activated".utf8)) != nil
        journal.add(isImpression ? "impression dispatched" : "conversion dispatched")
        completionHandler?(.success(event.body))
    }

    func flushEvents() {}
}

/// Drops everything, so that the output of the tests can be read.
final class PageLogger: OPTLogger {
    static var logLevel: OptimizelyLogLevel {
        get { .off }
        set {}
    }

    init() {}
    func log(level: OptimizelyLogLevel, message: String) {}
}

/// Clients of different tests do not share services.
func newKey() -> String { UUID().uuidString }

// @unchecked Sendable because what is carried is only used under a lock, or by one thread at a time.
/// A closure or a dictionary without a mark, on its way through a lock.
struct Carried<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
