import Foundation

@Suite struct FileFingerprintTests {
    @Test func aChangeOfAFileChangesItsFingerprint() throws {
        let directory = TemporaryDirectory(isCreated: true)
        let path = directory.path + "/flags.yaml"
        let missing = FileFingerprint(of: path)
        #expect(missing.node == 0)
        try Data("one".utf8).write(to: directory.url.appending(path: "flags.yaml"))
        let first = FileFingerprint(of: path)
        #expect(first != missing)
        #expect(first == FileFingerprint(of: path))
        try Data("three".utf8).write(to: directory.url.appending(path: "flags.yaml"))
        #expect(FileFingerprint(of: path) != first)
    }

    /// Contents of the same size, written in place by a program that restores the time.
    @Test func aTimeThatWasSetBackHidesNothing() throws {
        let directory = TemporaryDirectory(isCreated: true)
        let path = directory.path + "/flags.yaml"
        try Data("one".utf8).write(to: URL(filePath: path))
        let first = FileFingerprint(of: path)
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data("two".utf8))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: path)
        #expect(FileFingerprint(of: path) != first)
    }
}
