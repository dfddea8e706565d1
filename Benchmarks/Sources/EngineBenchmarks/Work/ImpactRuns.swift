import Foundation

/// Measures `turnout impact` as a process: two datafiles of twenty flags, and users that it generates.
struct ImpactRuns {
    private let path: String
    private let folder: ScratchFolder
    private let datafiles: [String]

    /// Twenty flags.
    static let subjectName = "generated-20"

    /// The tool to measure, or nil if it is not built.
    init?() throws {
        guard let path = CommandRuns.tool else { return nil }
        self.path = path
        folder = try ScratchFolder()
        let text = String(decoding: DatafileGenerator.datafile(flags: 20), as: UTF8.self)
        // Every rule loses a tenth of its traffic, so each flag moves some users.
        let edited = text.replacing(/"endOfRange":(\d+)/) { match in
            "\"endOfRange\":\((Int(match.1) ?? 0) * 9 / 10)"
        }
        datafiles = [
            try folder.write(Array(text.utf8), to: "old.json"), try folder.write(Array(edited.utf8), to: "new.json"),
        ]
    }

    private func arguments(_ users: Int) -> [String] { ["impact"] + datafiles + ["--population", "\(users)"] }

    /// The users that are decided by both datafiles per second, from the start of the process to its end.
    func usersPerSecond(of users: Int) throws -> Double {
        Double(users) / median(try (0..<3).map { _ in try ChildProcess.run(path, arguments(users)).wallSeconds })
    }

    /// The peak memory of the process.
    func peakBytes(users: Int) throws -> Double? { try ChildProcess.peakBytes(path, arguments(users)) }
}
