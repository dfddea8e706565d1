import Synchronization
import TurnoutClient

/// A datafile on disk. Replace it by renaming another one over it: what is half written cannot be used.
final class WatchedFile: DatafileSource {
    private let path: String
    private let last = Mutex<[UInt8]?>(nil)

    init(_ path: String) { self.path = path }

    /// The file, or nil: it is what it was.
    func newest() async throws -> [UInt8]? {
        guard let datafile = System.contents(ofFile: path) else { throw Unreadable(path: path) }
        return last.withLock { last in
            defer { last = datafile }
            return last == datafile ? nil : datafile
        }
    }

    /// Nothing is kept from an earlier run: the file is at hand.
    func kept() -> [UInt8]? { nil }

    struct Unreadable: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) cannot be read" }
    }
}
