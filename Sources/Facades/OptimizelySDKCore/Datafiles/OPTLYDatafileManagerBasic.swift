public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because what changes is behind a lock.
/// Fetches datafiles when it is asked to, once, and keeps the last one in memory.
open class OPTLYDatafileManagerBasic: NSObject, OPTLYDatafileManager, @unchecked Sendable {
    private let world = World.current
    private let datafile = Locked<Data?>(nil)

    /// Asks for the newest datafile, and keeps it.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        DatafileDownload(datafileConfig, world).start { outcome in
            if let data = outcome.data { self.saveDatafile(data) }
            completionHandler?(outcome.data, outcome.response, outcome.error)
        }
    }

    /// Keeps a datafile.
    open func saveDatafile(_ datafile: Data) { self.datafile.withLock { $0 = datafile } }
    /// The last datafile, or nil: there is none yet.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? { datafile.withLock { $0 } }
    /// Whether there was a datafile.
    open func isDatafileCached() -> Bool { getSavedDatafile(nil) != nil }
}
