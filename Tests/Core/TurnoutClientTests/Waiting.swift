import Dispatch
import Testing
import TurnoutClient

/// Lets other tasks run until something is true, and reports an issue if that takes minutes: on a busy
/// machine, hundreds of other tests want the same few threads.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: () async -> Bool
) async {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .seconds(300))
    while await !isTrue() {
        guard clock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .microseconds(200))
    }
}

/// Where threads wait until somebody lets them pass.
final class Turnstile: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isUsed = Locked(false)

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }

    /// Holds up only who comes first.
    func holdUpFirst() {
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        if isFirst { pass() }
    }
}

/// A source of chance that always gives the middle.
struct NoChance: RandomSource {
    func next() -> UInt64 { 1 << 63 }
}

/// An error that tests throw.
struct Trouble: Error, Equatable {}
