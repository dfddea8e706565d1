package import Foundation
package import TurnoutClient

/// A directory for one test. The first writer creates it; it is removed when its last reference is released, also if
/// the test fails.
package final class TemporaryDirectory: Sendable {
    /// The URL of the directory.
    package let url = FileManager.default.temporaryDirectory.appending(path: "turnout-test-\(UUID().uuidString)")
    /// The path of the directory.
    package var path: String { url.path }

    /// Chooses a new path.
    package init() {}

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A silent log for a storage in this directory. It retains the directory: the last write of a storage, when it is
    /// released, would otherwise recreate it.
    package var log: any Log { KeepingLog(directory: self) }
}

private struct KeepingLog: Log {
    let directory: TemporaryDirectory
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func write(_ level: LogLevel, _ message: String) {}
}
