/// Runs work concurrently on new threads, and waits for them.
func onThreads(_ count: Int, _ work: @escaping @Sendable (_ number: Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        let thread = Thread {
            work(number)
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    group.wait()
}

/// The duration of concurrent load: a second, or the value of `TURNOUT_STRESS_SECONDS`.
let stressSeconds = ProcessInfo.processInfo.environment["TURNOUT_STRESS_SECONDS"].flatMap { Double($0) } ?? 1

/// The resident memory of the process in megabytes, or nil if the system does not report it.
func residentMegabytes() -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
        let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
}
