import Foundation

/// Counts the instructions of an operation by running this program under Valgrind.
struct InstructionCounter {
    /// What instructions are counted of.
    static let works: [Work] = [.decide, .newUser, .impression]

    private let valgrind: String

    /// The counter, or nil: there is no Valgrind.
    init?() {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = folders.map { "\($0)/valgrind" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { return nil }
        valgrind = path
    }

    /// Enough for every flag of the largest datafile to be decided for several users.
    private static let times = 8_000

    /// The difference between running the operation some times and twice as often: whatever else the program does,
    /// such as loading the datafile, cancels out.
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
            // Dictionaries would otherwise hash, and so collide, differently in every run.
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"], streams: .init(errors: errors))
        let text = try String(contentsOfFile: errors, encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.contains("Collected :") }
        guard let total = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
            throw ChildProcess.Failure(description: "cannot understand Valgrind: \(text)")
        }
        return total
    }
}
