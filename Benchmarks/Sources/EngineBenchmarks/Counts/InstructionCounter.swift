import Foundation

/// Counts the instructions of an operation by running this program under Valgrind.
struct InstructionCounter {
    /// The works whose instructions are counted.
    static let works: [Work] = [.decide, .newUser, .impression, .clientValue, .clientTyped, .clientStatus]

    private let valgrind: String

    /// Creates a counter; nil without Valgrind.
    init?() {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = folders.map { "\($0)/valgrind" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { return nil }
        valgrind = path
    }

    /// Enough to decide every flag of the largest datafile for several users.
    private static let times = 8_000

    /// The difference between a number of repetitions and twice that number, which excludes other work such as loading
    /// the datafile.
    func instructions(of work: Work, datafile: String) throws -> Double {
        let once = try total(work, datafile, Self.times)
        let twice = try total(work, datafile, Self.times * 2)
        return (twice - once) / Double(Self.times)
    }

    private func total(_ work: Work, _ datafile: String, _ times: Int) throws -> Double {
        let folder = try ScratchFolder()
        let errors = folder.path("errors")
        _ = try ChildProcess.run(
            valgrind,
            [
                "--tool=callgrind", "--callgrind-out-file=/dev/null", ownPath, "perform", work.rawValue, "\(times)",
                datafile,
            ],
            // Without this, dictionary hashes and collisions would differ in every run.
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"], streams: .init(errors: errors))
        let text = try String(contentsOfFile: errors, encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.contains("Collected :") }
        guard let total = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
            throw ChildProcess.Failure(description: "cannot understand Valgrind: \(text)")
        }
        return total
    }
}
