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
