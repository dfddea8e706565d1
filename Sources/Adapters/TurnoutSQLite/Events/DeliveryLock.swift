import LibC
import Synchronization
import TurnoutClient

/// Ensures that one store delivers at a time, among all stores and processes that share a queue. The system
/// releases the lock when a process ends.
final class DeliveryLock: Sendable {
    private struct State {
        var isTaken = false
        var file: Int32 = -1
        /// A forked child has a copy of the open file, but the lock is its parent's.
        let generation = Fork.generation

        /// Unlocks explicitly, because closing does not as long as a child has the file open.
        func release(_ unlock: (Int32) -> Void) {
            guard file >= 0 else { return }
            if generation == Fork.generation { unlock(file) }
            close(file)
        }
    }

    /// One file for all queues: each queue locks its own byte, far beyond the end of the file.
    private var path: String? { storage.map { $0.path + "-delivery" } }
    private let storage: StorageFile?
    private let notices: Notices
    private let hasWarned = Atomic(false)
    private let place: Int64
    private let state = Locked(State())

    init(directory: String?, queue: String, notices: Notices) {
        storage = directory.map { StorageFile(directory: $0) }
        self.notices = notices
        var sum = Checksum()
        sum.add(queue)
        place = sum.value & .max >> 1
    }

    deinit { state.withLock { $0.release(unlock) } }

    /// Takes the lock. Returns false if another store or process holds it.
    func take() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            guard let storage, let path else {
                state.isTaken = true
                return true
            }
            let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if file >= 0 { storage.adoptOwner(of: storage.path, for: file) }
            if file < 0 || !set(F_WRLCK, on: file) {
                if file >= 0, errno == EAGAIN || errno == EACCES {
                    close(file)
                    return false
                }
                // Delivering twice is better than never: receivers drop duplicates.
                warn(storage.failure("events: \(path) cannot be locked, so several processes may deliver them"))
            }
            state = State(isTaken: true, file: file)
            return true
        }
    }

    private func warn(_ failure: SQLiteError) {
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        notices.add(failure.message, .warning)
    }

    #if canImport(Darwin)
        private static let setLock: Int32 = 90
    #else
        private static let setLock: Int32 = 37
    #endif

    /// Locks or unlocks the queue's byte with F_OFD_SETLK. Like a `flock` lock, and unlike other `fcntl` locks, it
    /// belongs to the open file, not to the process. Not every C library exposes the constant to Swift.
    private func set(_ type: Int32, on file: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(place)
        lock.l_len = 1
        return fcntl(file, Self.setLock, &lock) == 0
    }

    private func unlock(_ file: Int32) { _ = set(F_UNLCK, on: file) }

    func give() {
        state.withLock { state in
            state.release(unlock)
            state = State()
        }
    }
}
