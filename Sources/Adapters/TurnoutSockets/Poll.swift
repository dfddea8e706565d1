import LibC

/// Waits until sockets can be read or written.
package enum Poll {
    package static let readable = Int16(POLLIN)
    package static let writable = Int16(POLLOUT)

    /// Whether a socket has input or has ended.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: readable, revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Waits until one of the sockets is ready or the deadline has passed, and sets their `revents`.
    static func wait(_ entries: inout [pollfd], until deadline: ContinuousClock.Instant) {
        let left = max(.zero, min(ContinuousClock.now.duration(to: deadline), .seconds(3_600)))
        // Rounded up: waiting 0 ms for a fraction of a millisecond would spin. After an interruption by a signal no
        // socket is ready; callers check the time and wait again.
        let milliseconds = Int32(left / .milliseconds(1)) + (left > .zero ? 1 : 0)
        guard poll(&entries, nfds_t(entries.count), milliseconds) < 0 else { return }
        for index in entries.indices { entries[index].revents = 0 }
    }

    /// Waits until a socket is ready.
    ///
    /// - Returns: True if it is ready; false if the deadline has passed.
    package static func wait(
        for events: Int16, on descriptor: Int32, until deadline: ContinuousClock.Instant
    ) -> Bool {
        var entries = [pollfd(fd: descriptor, events: events, revents: 0)]
        repeat {
            wait(&entries, until: deadline)
            if entries[0].revents != 0 { return true }
        } while ContinuousClock.now < deadline
        return false
    }
}
