import CServer
import LibC

/// A socket that a thread has waited for.
struct ReadySocket {
    /// The number that it is watched with.
    let number: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// Whether the other end sends nothing more.
    let isHalfClosed: Bool
    /// Whether the connection is broken, or closed by both ends.
    let isBroken: Bool
}

/// Waits for sockets, and for other threads.
final class Epoll: Sendable {
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    /// Becomes readable when another thread wakes the waiting one.
    private let event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    /// Opens two files.
    ///
    /// - Throws: ``ListenerError`` if the process may open no more.
    init() throws(ListenerError) {
        guard descriptor >= 0, event >= 0, epoll_watch(descriptor, true, event, 0, true, false, false) == 0 else {
            throw ListenerError("cannot wait for connections: \(String(cString: strerror(errno)))")
        }
    }

    deinit { for descriptor in [descriptor, event] where descriptor >= 0 { close(descriptor) } }

    /// Watches a socket, or changes what it is watched for. The number is not 0.
    func watch(_ socket: Int32, _ number: UInt64, isNew: Bool, reads: Bool, writes: Bool, halfClosing: Bool) {
        epoll_watch(descriptor, isNew, socket, number, reads, writes, halfClosing)
    }

    /// Ends the current wait of the other thread, or its next one.
    func wake() { eventfd_write(event, 1) }

    /// Waits for at most some milliseconds; without a limit if they are negative.
    func wait(_ milliseconds: Int32) -> [ReadySocket] {
        withUnsafeTemporaryAllocation(of: CServer.ReadySocket.self, capacity: 64) { ready in
            let count = epoll_next(descriptor, ready.baseAddress, milliseconds)
            return ready.prefix(max(0, Int(count))).compactMap { ready in
                guard ready.number > 0 else {
                    var count: eventfd_t = 0
                    eventfd_read(event, &count)
                    return nil
                }
                return ReadySocket(
                    number: ready.number, isReadable: ready.is_readable, isWritable: ready.is_writable,
                    isHalfClosed: ready.is_half_closed, isBroken: ready.is_broken)
            }
        }
    }
}

/// The memory that the C library manages.
enum SystemMemory {
    /// Limits the parts that memory is divided into.
    static func limitArenas(to count: Int32) { limit_memory_arenas(count) }

    /// Returns unused memory to the system.
    static func trim() { trim_memory() }
}
