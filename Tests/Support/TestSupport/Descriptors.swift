#if os(Linux)
    import Glibc

    /// Leaves the process without file descriptors. Meant for exit tests.
    package func takeAllDescriptors() { leaveDescriptors(0) }

    /// Leaves the process a number of file descriptors. Meant for exit tests.
    package func leaveDescriptors(_ count: Int) {
        // When a process starts its first task, libdispatch opens a timer for itself, on another thread.
        for _ in 0..<1_000 where !hasTimer() { usleep(1_000) }
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var taken: [Int32] = []
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            guard descriptor >= 0 else { break }
            taken.append(descriptor)
        }
        for descriptor in taken.suffix(count) { close(descriptor) }
    }

    private func hasTimer() -> Bool {
        (0..<64 as Range<Int32>).contains { descriptor in
            var target = [CChar](repeating: 0, count: 32)
            let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            let name = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            return String(decoding: name, as: UTF8.self) == "anon_inode:[timerfd]"
        }
    }

    /// Waits without a timer, as a process without file descriptors must.
    ///
    /// - Returns: Whether the condition held within 20 seconds.
    package func holdsSoon(_ condition: () -> Bool) -> Bool {
        for _ in 0..<2_000 {
            if condition() { return true }
            usleep(10_000)
        }
        return condition()
    }
#endif
