import Synchronization
import TurnoutClient

/// A datafile on disk. Replace it by renaming another file over it: a partially written one is unusable.
final class WatchedFile: DatafileSource {
    private let path: String
    private let last = Mutex<[UInt8]?>(nil)

    init(_ path: String) { self.path = path }

    /// The file, or nil if it is unchanged.
    func newest() async throws -> Datafile? {
        // The client logs the path and the cause; of errors that it does not know, it logs the type only.
        do {
            let bytes = try System.contents(ofFile: path)
            guard last.withLock({ $0 != bytes }) else { return nil }
            // Throws for each request until the file is usable.
            let datafile = try Datafile(bytes)
            last.withLock { $0 = bytes }
            return datafile
        } catch { throw StartError.file(path: path, cause: error) }
    }

    /// Nothing is cached from an earlier run; the file itself is available.
    func cached() -> Datafile? { nil }
}
