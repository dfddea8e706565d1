#if THREAD_SANITIZER
    import Foundation
#else
    package import Synchronization
#endif

/// A value that can only be reached while its lock is held.
///
/// The lock is not recursive: `body` must neither call out nor come back here. It is never held while deciding.
///
/// Its functions can be inlined into other modules: they are generic, and calling them otherwise costs ten times what
/// they do.
package struct Locked<State>: ~Copyable, Sendable {
    #if THREAD_SANITIZER
        // ThreadSanitizer on Linux does not see the futex inside `Mutex` and takes every use for a race. Builds with
        // the sanitizer use a lock that it knows.
        // @unchecked Sendable because `state` is only reached through `lock`.
        private final class Storage: @unchecked Sendable {
            let lock = NSLock()
            var state: State
            init(_ state: consuming sending State) { self.state = state }
        }

        private let storage: Storage

        /// Puts a value behind a lock.
        package init(_ state: consuming sending State) { storage = Storage(state) }

        /// Calls `body` with the value while the lock is held, and returns what it returns.
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            storage.lock.lock()
            defer { storage.lock.unlock() }
            return try body(&storage.state)
        }
    #else
        @usableFromInline let mutex: Mutex<State>

        /// Puts a value behind a lock.
        @inlinable
        package init(_ state: consuming sending State) { mutex = Mutex(state) }

        /// Calls `body` with the value while the lock is held, and returns what it returns.
        @inlinable
        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}
