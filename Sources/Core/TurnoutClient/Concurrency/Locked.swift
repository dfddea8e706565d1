public import LibC
public import Synchronization

// @unchecked Sendable because the value is only reached through the lock.
/// A value that can only be accessed while its lock is held.
///
/// The lock is not recursive: `body` must not call other code or access the lock again. It is never held while
/// deciding.
///
/// Its functions are inlinable into other modules: they are generic, and unspecialized calls take ten times as long.
/// The compiler specializes them there only because the type itself is usable from inlinable code.
@usableFromInline package struct Locked<State>: ~Copyable, @unchecked Sendable {
    #if canImport(Darwin)
        @usableFromInline let mutex: Mutex<State>

        /// Creates a lock for a value.
        @inlinable
        package init(_ state: consuming sending State) { mutex = Mutex(state) }

        /// Calls `body` with the value while the lock is held, and returns its result.
        @inlinable
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }

        /// Like ``withLock(_:)``, but returns nil if the lock is held.
        @inlinable
        package borrowing func withLockIfAvailable<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            try mutex.withLockIfAvailable(body)
        }
    #else
        // On Linux `Mutex` passes each contended lock to its next owner through the kernel, which takes a hundred
        // times as long as to wait for it, and ThreadSanitizer does not see it. Both are kept in place, as in `Mutex`:
        // a mutex must not move while it is in use.
        // The state is first: ThreadSanitizer takes the use of an empty one for that of what follows it.
        @usableFromInline let state: _Cell<State>
        @usableFromInline let mutex: _Cell<pthread_mutex_t>

        /// Creates a lock for a value.
        @inlinable
        package init(_ state: consuming sending State) {
            self.state = _Cell(state)
            mutex = _Cell(.adaptive)
        }

        /// Calls `body` with the value while the lock is held, and returns its result.
        @inlinable
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex._address)
            defer { pthread_mutex_unlock(mutex._address) }
            return try body(&state._address.pointee)
        }

        /// Like ``withLock(_:)``, but returns nil if the lock is held.
        @inlinable
        package borrowing func withLockIfAvailable<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard pthread_mutex_trylock(mutex._address) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex._address) }
            return try body(&state._address.pointee)
        }
    #endif
}

#if !canImport(Darwin)
    extension pthread_mutex_t {
        /// A mutex that tries for a moment before it suspends the thread, where the system has such a kind.
        @inlinable
        package static var adaptive: pthread_mutex_t {
            var mutex = pthread_mutex_t()
            #if canImport(Glibc)
                // PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, a macro that Swift does not import.
                mutex.__data.__kind = CInt(PTHREAD_MUTEX_ADAPTIVE_NP)
            #endif
            return mutex
        }
    }
#endif
