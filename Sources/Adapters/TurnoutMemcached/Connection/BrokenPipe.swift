#if Memcached
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// The signal that who writes to a connection gets when the other side has gone. It ends the process unless
    /// somebody sees to it; the write itself fails as well, which is enough.
    package enum BrokenPipe {
        /// Calls `body` without the signal. Afterwards the thread is as before: what it blocks, and whether such a
        /// signal waits for it.
        package static func withoutSignal<Result>(_ body: () -> Result) -> Result {
            var (signal, blocked) = (sigset_t(), sigset_t())
            sigemptyset(&signal)
            sigaddset(&signal, SIGPIPE)
            let waited = isWaiting
            pthread_sigmask(SIG_BLOCK, &signal, &blocked)
            defer {
                // One that came meanwhile would arrive with the old mask.
                if !waited, isWaiting { take(&signal) }
                pthread_sigmask(SIG_SETMASK, &blocked, nil)
            }
            return body()
        }

        /// Whether such a signal was sent to this thread and is held back.
        private static var isWaiting: Bool {
            var signals = sigset_t()
            return sigpending(&signals) == 0 && sigismember(&signals, SIGPIPE) == 1
        }

        private static func take(_ signal: inout sigset_t) {
            #if canImport(Darwin)
                var number: Int32 = 0
                sigwait(&signal, &number)
            #else
                // Not without end, if another thread was faster.
                var atOnce = timespec()
                while sigtimedwait(&signal, nil, &atOnce) < 0, errno == EINTR {}
            #endif
        }
    }
#endif
