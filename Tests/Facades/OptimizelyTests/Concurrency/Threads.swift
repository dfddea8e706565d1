import Foundation
import TurnoutClient

/// Runs a piece of work on threads of their own, all at once, and waits for them.
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

/// How long threads get into each other's way: a second, or as long as `TURNOUT_STRESS_SECONDS` says.
let stressSeconds = ProcessInfo.processInfo.environment["TURNOUT_STRESS_SECONDS"].flatMap { Double($0) } ?? 1

/// The memory of the process in megabytes, or nil: the system does not tell.
func residentMegabytes() -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
        let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
}
