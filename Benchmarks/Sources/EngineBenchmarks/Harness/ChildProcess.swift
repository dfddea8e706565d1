import Foundation

/// The cost of a program run.
///
/// Spawned directly, because Foundation's `Process` takes longer to start than the measured program, and does not
/// report resource usage.
struct ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The output files of a program.
    struct Streams {
        /// The file for standard output.
        var output = "/dev/null"
        /// The file for standard error.
        var errors = "/dev/null"
    }

    /// The wall time from the start of the program to its end.
    let wallSeconds: Double
    /// The CPU time of all its threads, user and system.
    let cpuSeconds: Double

    /// Runs a program; a failed program is an error.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], streams: Streams = Streams()
    ) throws -> ChildProcess {
        let start = ContinuousClock.now
        let child = try spawn(path, arguments, environment, streams)
        var status: Int32 = 0
        var usage = rusage()
        wait4(child, &status, 0, &usage)
        let time = ContinuousClock.now - start
        guard status == 0 else { throw Failure(description: "\(path) ended with wait status \(status)") }
        return ChildProcess(
            wallSeconds: time / .seconds(1), cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// Runs a program, and returns its peak memory in bytes, or nil if the system does not report it.
    ///
    /// The value from `wait4` is unusable, because it starts at the memory of the spawning process.
    static func peakBytes(_ path: String, _ arguments: [String]) throws -> Double? {
        let child = try spawn(path, arguments, [:], Streams())
        var peak: Double?
        var status: Int32 = 0
        while waitpid(child, &status, WNOHANG) == 0 {
            // The peak only grows, so the last sample is close to the final value.
            peak = memory("VmHWM", ofProcess: "\(child)") ?? peak
            usleep(2_000)
        }
        return peak
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ streams: Streams
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, streams.output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, streams.errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var child: pid_t = 0
        let failure = withCStrings([path] + arguments) { arguments in
            withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&child, path, &actions, nil, arguments, variables)
            }
        }
        guard failure == 0 else {
            throw Failure(description: "cannot run \(path): \(String(cString: strerror(failure)))")
        }
        return child
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

/// The path of this program, to run it again.
let ownPath = Bundle.main.executablePath ?? CommandLine.arguments[0]

/// The resident memory of this process in bytes, or nil if the system does not report it.
func residentBytes() -> Double? { memory("VmRSS", ofProcess: "self") }

private func memory(_ name: String, ofProcess process: String) -> Double? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 * 1_024 }
}
