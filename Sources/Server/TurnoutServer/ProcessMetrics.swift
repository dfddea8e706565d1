import LibC
import TurnoutClient

extension MetricsSnapshot {
    /// Adds the metrics of the build and of the process.
    ///
    /// - Parameters:
    ///   - version: The version of the server.
    ///   - start: The start of the server, in milliseconds since 1970.
    mutating func addProcess(_ version: String, startedAt start: Int64) {
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        add(
            .gauge, "turnout_build_info", "The version of the server, and the kind of its build; the value is 1.",
            [.init(1, .init("version", version), .init("build", build))])
        add(
            .counter, "process_cpu_seconds_total", "The processor time that the process has used.",
            [.init(Double(clock()) / Double(CLOCKS_PER_SEC))])
        add(
            .gauge, "process_resident_memory_bytes", "The memory of the process that is not swapped out.",
            Self.residentMemory.map { [.init($0)] } ?? [])
        // One is that of the list itself; the others are `.` and `..`.
        let descriptors = SystemCall.names(in: "/proc/self/fd").count - 3
        add(.gauge, "process_open_fds", "Open files and connections of the process.", [.init(max(0, descriptors))])
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        add(
            .gauge, "process_max_fds", "The files and connections that the process may open.",
            [.init(Double(limit.rlim_cur))])
        add(
            .gauge, "process_start_time_seconds", "The start of the server, in seconds since 1970.",
            [.init(Double(start) / 1_000)])
    }

    /// The bytes of the process in memory; nil if the system does not tell.
    private static var residentMemory: Int? {
        guard let file = try? SegmentFile.read("/proc/self/statm"), let bytes = try? file.bytes(at: 0, count: 100)
        else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
