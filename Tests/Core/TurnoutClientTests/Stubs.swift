/// A random source that always returns the middle.
struct MidpointRandomSource: RandomSource {
    func next() -> UInt64 { 1 << 63 }
}

/// An error that tests throw.
struct TestError: Error, Equatable {}
