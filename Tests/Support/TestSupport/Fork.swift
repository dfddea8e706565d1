#if os(Linux)
    import Glibc

    /// Calls `fork`, which is not available in Swift, after a pause that lets the process's threads become idle: a lock
    /// held by one of them would stay locked in the child.
    ///
    /// - Returns: 0 in the child, the child's process id in the parent, or nil if there is no new process.
    package func forked() -> Int32? {
        typealias Fork = @convention(c) () -> Int32
        guard let address = dlsym(nil, "fork") else { return nil }
        usleep(100_000)
        let result = unsafeBitCast(address, to: Fork.self)()
        return result < 0 ? nil : result
    }

    /// Waits for a forked child, and exits with its status unless it succeeded. An exit test then reports the child's
    /// exit code, or 128 plus the number of the signal that ended it.
    package func waitForSuccess(of child: Int32) {
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let signal = status & 0x7f
        if status != 0 { _exit(signal == 0 ? status >> 8 : 128 + signal) }
    }
#endif
