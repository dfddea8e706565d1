import Testing
import TurnoutClient

/// What did not happen in time.
struct WaitedInVain: Error, CustomStringConvertible {
    let description: String
}

/// Waits until something is true, at most half a minute. Looks less and less often: others need the processor, too.
func wait(_ what: String, until isTrue: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    var pause = Duration.milliseconds(2)
    while try await !isTrue() {
        guard ContinuousClock.now < deadline else { throw WaitedInVain(description: what) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}

/// Calls something that blocks, on a thread that nobody else waits for.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        BlockingCall.start { continuation.resume(with: Result { try body() }) }
    }
}

/// A list that many threads add to.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    var count: Int { elements.withLock { $0.count } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Where tasks wait while it is closed; at first it is open.
final class Gate: Sendable {
    private struct State {
        var isOpen = true
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

    func close() { state.withLock { $0.isOpen = false } }

    /// Lets those pass who come from now on.
    func openForOthers() { state.withLock { $0.isOpen = true } }

    /// Lets everybody pass.
    func open() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
