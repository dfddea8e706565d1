import Synchronization
import TurnoutClient

/// A datafile on disk. Replace it by renaming another file over it: a partially written one is unusable.
final class WatchedFile: DatafileSource {
    private let path: String
    private let last = Mutex<[UInt8]?>(nil)

    init(_ path: String) { self.path = path }

    /// The file, or nil if it is unchanged.
    func newest() async throws -> Datafile? {
        guard let bytes = System.contents(ofFile: path) else {
            // The client logs the path of this error; of errors that it does not know, it logs the type only.
            throw StartError.file(path: path, cause: Problem.unreadable)
        }
        let isNew = last.withLock { last in
            defer { last = bytes }
            return last != bytes
        }
        return isNew ? try Datafile(bytes) : nil
    }

    /// Nothing is cached from an earlier run; the file itself is available.
    func cached() -> Datafile? { nil }

    private enum Problem: Error { case unreadable }
}
