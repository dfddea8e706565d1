/// A source of random bits: for the ids of events, predictions and devices, and for the random part of pauses, which
/// keeps clients from sending their requests at the same time.
///
/// A client's decisions are not random; they are hashed.
///
/// To write a source, implement ``next()``. A client calls it twice for each event, on the thread that decides or
/// tracks, and in its background tasks. Several calls may run at a time. A call must return at once and cannot fail.
/// All 64 bits must be random, and processes must not share a sequence: receivers may take two events with one id for
/// the same event.
///
/// ``SeededRandomSource`` is a source for tests. `checkRandomSource` of `TurnoutTestKit` checks what a source has to
/// guarantee.
public protocol RandomSource: Sendable {
    /// Returns 64 random bits. Called from any thread.
    func next() -> UInt64
}

/// The system's random numbers, read in blocks: a system call for each number costs ten times as much.
public final class SystemRandomSource: RandomSource {
    private static let blockSize = 128

    /// Creates a source.
    public init() {}

    /// Returns 64 unpredictable bits.
    public func next() -> UInt64 {
        CallingThread.randomNumbers.withLock(of: CallingThread.fingerprint) { reserve in
            // A forked child would use its parent's numbers again.
            if reserve.numbers.isEmpty || reserve.generation != Fork.generation {
                reserve = (Fork.generation, Entropy.words(Self.blockSize))
            }
            return reserve.numbers.removeLast()
        }
    }
}

/// A deterministic source for tests (SplitMix64).
public final class SeededRandomSource: RandomSource {
    private let state: Locked<UInt64>

    /// Creates a source; equal seeds give equal numbers.
    public init(seed: UInt64) { state = Locked(seed) }

    /// Returns the next 64 bits of the sequence.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
    }
}

extension RandomSource where Self == SystemRandomSource {
    /// Creates a source of the system's random numbers.
    public static var system: SystemRandomSource { SystemRandomSource() }
}

extension RandomSource where Self == SeededRandomSource {
    /// Creates a deterministic source.
    public static func seeded(_ seed: UInt64) -> SeededRandomSource { SeededRandomSource(seed: seed) }
}

extension RandomSource {
    package func eventID() -> EventID { EventID(next(), next()) }
}
