package import Foundation
package import TurnoutClient

/// A directory for one test, which whoever writes to it creates. It goes, with everything in it, when nobody refers to
/// it any more: at the end of the test, also of one that failed.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let url = FileManager.default.temporaryDirectory.appending(path: "turnout-test-\(UUID().uuidString)")
    /// Where it is.
    package var path: String { url.path }

    /// A directory that nobody used so far.
    package init() {}

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A log that nobody reads, for a storage in this directory. It keeps the directory: what a storage writes last, at
    /// its own end, would make the directory anew.
    package var log: any Log { KeepingLog(directory: self) }
}

private struct KeepingLog: Log {
    let directory: TemporaryDirectory
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func write(_ level: LogLevel, _ message: String) {}
}
