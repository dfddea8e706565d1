import Foundation
import TestSupport
import Testing
import TurnoutClient

@Suite struct FileFingerprintTests {
    @Test func aChangeOfAFileChangesItsFingerprint() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
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
}
