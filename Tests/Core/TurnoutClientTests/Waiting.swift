import Dispatch
import Testing
import TurnoutClient

/// Lets other tasks run until something is true, and reports an issue if that takes more than a minute.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: () async -> Bool
) async {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .seconds(60))
    while await !isTrue() {
        guard clock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .microseconds(200))
    }
}

/// A list that many tasks add to.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    var count: Int { elements.withLock { $0.count } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Where tasks wait until somebody lets them pass.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Where threads wait until somebody lets them pass.
final class Turnstile: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}

/// A source of chance that always gives the middle.
struct NoChance: RandomSource {
    func next() -> UInt64 { 1 << 63 }
}

/// An error that tests throw.
struct Trouble: Error, Equatable {}
