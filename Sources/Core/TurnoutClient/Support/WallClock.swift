/// Provides the time of day: for the timestamps of events, and for the times in a client's status.
///
/// Intervals and deadlines are measured with a `Clock`, which time changes and corrections do not affect.
///
/// To write a wall clock, implement ``millisecondsSince1970()``. A client calls it once for each event, on the thread
/// that decides or tracks, and on its delivery thread. Several calls may run at a time. A call must return at once and
/// cannot fail. The time may go backwards; events keep the time at which they happened. If ``EventOptions/maximumAge``
/// is set, events that are older by this clock are given up, so a wrong clock can lose events.
///
/// ``FixedWallClock`` is a clock for tests. `checkWallClock` of `TurnoutTestKit` checks what a clock has to guarantee.
public protocol WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC. Called from any thread.
    func millisecondsSince1970() -> Int64
}

/// The system's wall clock.
public struct SystemWallClock: WallClock {
    /// Creates the clock.
    public init() {}
    /// The current time.
    public func millisecondsSince1970() -> Int64 { TimeOfDay.millisecondsSince1970 }
}

/// A clock that always returns the same time, until it is set.
public final class FixedWallClock: WallClock {
    private let time: Locked<Int64>

    /// Creates a clock with a time in milliseconds since 1970.
    public init(_ milliseconds: Int64) { time = Locked(milliseconds) }

    /// The time it was set to.
    public func millisecondsSince1970() -> Int64 { time.withLock { $0 } }

    /// Sets the clock.
    public func set(_ milliseconds: Int64) { time.withLock { $0 = milliseconds } }
}

extension WallClock where Self == SystemWallClock {
    /// Creates the system's wall clock.
    public static var system: SystemWallClock { SystemWallClock() }
}

extension WallClock where Self == FixedWallClock {
    /// Creates a fixed clock with a time in milliseconds since 1970.
    public static func fixed(_ milliseconds: Int64) -> FixedWallClock { FixedWallClock(milliseconds) }
}

/// A clock that only moves when advanced, for tests of intervals and deadlines.
///
/// ```swift
/// let clock = ManualClock()
/// // … something sleeps for a minute …
/// clock.advance(by: .seconds(60))
/// ```
public final class ManualClock: Clock {
    /// An instant, relative to the clock's creation.
    public struct Instant: InstantProtocol {
        let offset: Duration

        /// The instant that is `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The duration from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether an instant is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var nextID = 0
        /// Tasks that are about to sleep, and whether they were canceled before that.
        var starting: [Int: Bool] = [:]
    }

    private let state = Locked(State())

    /// Creates a clock at zero.
    public init() {}

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }
    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }
    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// How long each sleeping task still sleeps.
    package var remainingSleeps: [Duration] {
        state.withLock { state in state.sleepers.values.map { state.now.duration(to: $0.deadline) } }
    }

    /// Advances the clock, and wakes all tasks whose deadline has been reached.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock reaches a deadline.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            state.starting[state.nextID] = false
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                startSleeping(id, Sleeper(deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            wake(id)
        }
    }

    private func startSleeping(_ id: Int, _ sleeper: Sleeper) {
        enum Outcome { case asleep, awake, cancelled }
        let outcome: Outcome = state.withLock { state in
            if state.starting.removeValue(forKey: id) == true { return .cancelled }
            if sleeper.deadline <= state.now { return .awake }
            state.sleepers[id] = sleeper
            return .asleep
        }
        switch outcome {
        case .asleep: break
        case .awake: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func wake(_ id: Int) {
        let sleeper = state.withLock { state in
            if state.starting[id] != nil { state.starting[id] = true }
            return state.sleepers.removeValue(forKey: id)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension Clock where Duration == Swift.Duration {
    /// A function that returns the time since its creation.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
