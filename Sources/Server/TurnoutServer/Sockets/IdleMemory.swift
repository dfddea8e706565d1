import LibC

/// Returns memory to the system when a server has nothing to do. The C library would keep what was freed.
package struct IdleMemory {
    /// The processor time of the process at the last check, and after the last return.
    private var (checked, trimmed) = (clock(), clock())
    private var next = ContinuousClock.now

    /// Limits the parts that memory is divided into. Each keeps what it once needed, and by default there are up to
    /// eight for each processor. Call this before other threads start.
    package init() { SystemMemory.limitArenas(to: 2) }

    /// Returns memory if the process has worked, and does not now. Call this at least once a second.
    package mutating func check() {
        guard next <= .now else { return }
        next = .now + .seconds(1)
        let now = clock()
        defer { checked = now }
        guard now - checked < CLOCKS_PER_SEC / 50, now - trimmed > CLOCKS_PER_SEC / 5 else { return }
        SystemMemory.trim()
        trimmed = clock()
    }
}
