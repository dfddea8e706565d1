#if THREAD_SANITIZER
    import Foundation
#else
    public import Synchronization
#endif

/// A value that can only be accessed while its lock is held.
///
/// The lock is not recursive: `body` must not call other code or access the lock again. It is never held while
/// deciding.
///
/// Its functions are inlinable into other modules: they are generic, and unspecialized calls take ten times as long.
/// The compiler specializes them there only because the type itself is usable from inlinable code.
@usableFromInline
package struct Locked<State>: ~Copyable, Sendable {
    #if THREAD_SANITIZER
        // ThreadSanitizer on Linux does not see the futex inside `Mutex` and reports every use as a race. Builds with
        // the sanitizer use a lock that it supports.
        // @unchecked Sendable because `state` is only reached through `lock`.
        private final class Storage: @unchecked Sendable {
            let lock = NSLock()
            var state: State
            init(_ state: consuming sending State) { self.state = state }
        }

        private let storage: Storage

        /// Creates a lock for a value.
        @usableFromInline
        package init(_ state: consuming sending State) { storage = Storage(state) }

        /// Calls `body` with the value while the lock is held, and returns its result.
        @usableFromInline
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            storage.lock.lock()
            defer { storage.lock.unlock() }
            return try body(&storage.state)
        }

        /// Like ``withLock(_:)``, but returns nil if the lock is held.
        @usableFromInline
        package borrowing func withLockIfAvailable<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard storage.lock.try() else { return nil }
            defer { storage.lock.unlock() }
            return try body(&storage.state)
        }
    #else
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
    #endif
}
