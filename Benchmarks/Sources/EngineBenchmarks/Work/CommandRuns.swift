import Foundation
import TurnoutEngine

/// Measures the command-line tool as a process.
struct CommandRuns {
    private let path: String
    private let folder: ScratchFolder
    private let datafile: String

    /// A datafile with ten flags, of about 30 kB.
    static let subjectName = "generated-10"

    /// The path of the tool to measure, or nil if it is not built.
    static var tool: String? {
        let path = ProcessInfo.processInfo.environment["TURNOUT"] ?? ".build/release/turnout"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// Prepares the runs; nil if there is no tool.
    init?() throws {
        guard let path = Self.tool else { return nil }
        self.path = path
        folder = try ScratchFolder()
        datafile = try folder.write(DatafileGenerator.datafile(flags: 10), to: "datafile.json")
    }

    /// The wall time of the process for one decision, in nanoseconds.
    func nanosecondsToFirstDecision() throws -> Double {
        let arguments = [
            "decide", "--datafile", datafile, "--flag", "flag_0003", "--user", "user_1", "--attribute", "country=US",
            "--output", "json",
        ]
        let times = try (0..<41).map { _ in try ChildProcess.run(path, arguments).wallSeconds * 1e9 }
        return median(times)
    }

    struct Throughput {
        let decisionsPerSecond: Double
        let nanosecondsPerDecision: Double
        let peakBytes: Double?
    }

    /// Decides ten flags for each of many users, read from a file.
    func throughput(users: Int) throws -> Throughput {
        let file = try writeUsers(users)
        let arguments = ["decide", "--datafile", datafile, "--users", file, "--output", "ndjson"]
        let runs = try (0..<5).map { _ in try ChildProcess.run(path, arguments) }
        return Throughput(
            decisionsPerSecond: Double(users * 10) / median(runs.map(\.wallSeconds)),
            nanosecondsPerDecision: median(runs.map(\.cpuSeconds)) * 1e9 / Double(users * 10),
            peakBytes: try ChildProcess.peakBytes(path, arguments))
    }

    private func writeUsers(_ count: Int) throws -> String {
        let subject = try Subject.named(Self.subjectName)
        let path = try folder.write([], to: "users-\(count).ndjson")
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        var writer = JSONWriter()
        for number in 0..<count {
            writer.user(subject.profiles[number % subject.profiles.count], id: "user_\(number)")
            guard writer.bytes.count > 1 << 20 || number + 1 == count else { continue }
            try file.write(contentsOf: Data(writer.bytes))
            writer.removeAll()
        }
        return path
    }
}

extension JSONWriter {
    /// Writes a line of a users file.
    fileprivate mutating func user(_ person: Person, id: String) {
        object { writer in
            writer.members([("user", id)])
            writer.key("attributes")
            writer.object { writer in
                for (name, value) in zip(person.names, person.values) {
                    writer.key(name)
                    writer.scalar(value)
                }
            }
        }
        newline()
    }

    private mutating func scalar(_ value: AttributeValue) {
        switch value {
        case .string(let value): string(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .bool(let value): bool(value)
        default: null()
        }
    }
}
