import CAllocationCounter
import Foundation
import TurnoutEngine

extension Subject {
    /// The time of one load in a process that loaded before, in nanoseconds. What was loaded is released outside of it.
    func nanosecondsPerLoad() -> Double {
        median(
            (0..<51).map { _ in
                var project: Project?
                let time = Stopwatch.nanoseconds { project = try? Project(datafile: bytes) }
                keep_result(Int64(project?.revision.utf8.count ?? 0))
                return Double(time)
            })
    }

    /// Loads the datafile, and releases what was loaded.
    func load(_ times: Int) {
        for _ in 0..<times {
            // The bytes were loaded before, so they load again.
            guard let project = try? Project(datafile: bytes) else { return }
            keep_result(Int64(project.revision.utf8.count))
        }
    }
}

/// What the first load in a process costs.
struct ColdLoad: Codable {
    let nanoseconds: Double
    let residentGrowth: Double?

    /// Loads a file, as the first thing that a process does.
    static func measure(_ path: String) throws -> ColdLoad {
        let text = try contents(ofFile: path)
        // The first look at the memory takes some itself.
        _ = residentBytes()
        let before = residentBytes()
        var project: Project?
        let time = Stopwatch.nanoseconds { project = try? Project(datafile: text) }
        let after = residentBytes()
        // Both the text and the project are there at both ends, so the difference is the project.
        keep_result(Int64(text.count + (project?.revision.utf8.count ?? 0)))
        guard project != nil else { throw CocoaError(.fileReadCorruptFile) }
        return ColdLoad(
            nanoseconds: Double(time), residentGrowth: before.flatMap { before in after.map { $0 - before } })
    }

    /// Loads a datafile in several fresh processes.
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
