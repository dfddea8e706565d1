import Foundation

/// Measures the size of a program that uses the drop-in interface.
enum ProgramSize {
    private static let path = URL(filePath: ownPath).deletingLastPathComponent().appending(path: "FacadeProbe").path

    /// The size of the program without symbols, in bytes. The system's and Swift's libraries are not part of it.
    static func strippedBytes() throws -> Double {
        let folder = try ScratchFolder()
        let stripped = folder.path("stripped")
        _ = try ChildProcess.run("/usr/bin/strip", [path, "-o", stripped])
        let size = try FileManager.default.attributesOfItem(atPath: stripped)[.size] as? Int
        return Double(size ?? 0)
    }
}
