import Foundation

/// Measures the start to the first decision of a program with a network transport and files.
struct StartRuns {
    private let folder: ScratchFolder
    private let arguments: [String]
    private let path = URL(filePath: ownPath).deletingLastPathComponent().appending(path: "StartProbe").path

    /// Caches the subject's datafile.
    init(_ subject: Subject) throws {
        folder = try ScratchFolder()
        arguments = [folder.path("cache"), subject.flagKeys[0]]
        let datafile = try folder.write(subject.bytes, to: "datafile.json")
        _ = try ChildProcess.run(path, arguments + [datafile])
    }

    /// The wall time of the process for one decision with the cached datafile.
    func nanosecondsToFirstDecision() throws -> Double? {
        median(try (0..<41).map { _ in try ChildProcess.run(path, arguments).wallSeconds * 1e9 })
    }
}
