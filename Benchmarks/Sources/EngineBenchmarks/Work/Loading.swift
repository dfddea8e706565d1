import CAllocationCounter
import Foundation
import TurnoutEngine

extension Subject {
    /// The time of one load in a warm process, in nanoseconds, without the release of the project.
    func nanosecondsPerLoad() -> Double {
        median(
            (0..<51).map { _ in
                var project: Project?
                let time = Stopwatch.nanoseconds { project = try? Project(datafile: bytes) }
                keep_result(Int64(project?.revision.utf8.count ?? 0))
                return Double(time)
            })
    }

    /// Loads the datafile, and releases the project.
    func load(_ times: Int) {
        for _ in 0..<times {
            // The bytes were loaded successfully before.
            guard let project = try? Project(datafile: bytes) else { return }
            keep_result(Int64(project.revision.utf8.count))
        }
    }
}

/// The cost of the first load in a process.
struct ColdLoad: Codable {
    let nanoseconds: Double
    let residentGrowth: Double?

    /// Loads a file as the first work of a process.
    static func measure(_ path: String) throws -> ColdLoad {
        let text = try contents(ofFile: path)
        // The first measurement uses memory itself.
        _ = residentBytes()
        let before = residentBytes()
        var project: Project?
        let time = Stopwatch.nanoseconds { project = try? Project(datafile: text) }
        let after = residentBytes()
        // The text and the project exist at both measurements, so the difference is the project.
        keep_result(Int64(text.count + (project?.revision.utf8.count ?? 0)))
        guard project != nil else { throw CocoaError(.fileReadCorruptFile) }
        return ColdLoad(
            nanoseconds: Double(time), residentGrowth: before.flatMap { before in after.map { $0 - before } })
    }

    /// Loads a datafile in several new processes.
    static func measureInChildren(_ subject: Subject) throws -> [ColdLoad] {
        let folder = try ScratchFolder()
        let path = try folder.write(subject.bytes, to: "datafile.json")
        return try (0..<Stopwatch.runs).map { _ in
            let output = folder.path("output")
            _ = try ChildProcess.run(ownPath, ["cold-load", path], streams: .init(output: output))
            return try JSONDecoder().decode(ColdLoad.self, from: Data(contentsOf: URL(filePath: output)))
        }
    }
}
