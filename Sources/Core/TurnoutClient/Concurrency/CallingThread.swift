import LibC

/// The thread that runs the calling code.
@usableFromInline
package enum CallingThread {
    /// A number whose low bits differ for most threads. Use it only where a collision affects performance, not
    /// correctness. A task may run on another thread after it has waited.
    @usableFromInline
    package static var number: Int {
        // The address of the thread's descriptor. Descriptors are far apart, so the low bits of all are the same; the
        // upper half of the product depends on the others as well.
        let descriptor = UInt64(truncatingIfNeeded: Int(bitPattern: pthread_self()))
        return Int(truncatingIfNeeded: (descriptor &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// The number as a key of a ``Sharded`` state, for counts that all threads add to.
    package static var fingerprint: UInt64 { UInt64(truncatingIfNeeded: number) << 48 }
}

extension CallingThread {
    /// The system's random numbers in reserve, by thread, because every event takes two. Shared, because any client can
    /// use any of them.
    static let randomNumbers = Sharded(capacity: 0) { _ in (generation: Fork.generation, numbers: [UInt64]()) }
}
