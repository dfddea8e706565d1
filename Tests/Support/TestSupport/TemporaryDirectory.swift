package import Foundation
package import TurnoutClient

/// A directory for one test. The first writer creates it; it is removed when its last reference is released, also if
/// the test fails, or when its process exits, as that of an exit test.
package final class TemporaryDirectory: Sendable {
    /// The URL of the directory.
    package let url = FileManager.default.temporaryDirectory.appending(path: "turnout-test-\(UUID().uuidString)")
    /// The path of the directory.
    package var path: String { url.path }

    /// Chooses a new path, and creates the directory if a test needs it from the start.
    package init(isCreated: Bool = false) {
        Remains.shared.paths.withLock { _ = $0.insert(path) }
        if isCreated { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        Remains.shared.paths.withLock { _ = $0.remove(path) }
    }

    /// A silent log for a storage in this directory. It retains the directory: the last write of a storage, when it is
    /// released, would otherwise recreate it.
    package var log: any Log { KeepingLog(directory: self) }
}

/// The directories of this process, which has to remove them when it exits. Stores write at an exit, too, and they are
/// created later, so that they do it before.
private final class Remains: Sendable {
    static let shared = Remains()
    let paths = Locked<Set<String>>([])
    private let process = getpid()

    private init() { atexit { Remains.shared.remove() } }

    /// A forked child leaves them to its parent.
    private func remove() {
        guard getpid() == process else { return }
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}

private struct KeepingLog: Log {
    let directory: TemporaryDirectory
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func write(_ level: LogLevel, _ message: String) {}
}
