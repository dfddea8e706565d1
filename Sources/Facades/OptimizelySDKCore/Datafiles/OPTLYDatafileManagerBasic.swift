public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because its mutable state is behind a lock.
/// Downloads datafiles on request, with one attempt, and keeps the last one in memory.
open class OPTLYDatafileManagerBasic: NSObject, OPTLYDatafileManager, @unchecked Sendable {
    private let world = HostEnvironment.current
    private let datafile = Locked<Data?>(nil)

    /// Downloads the datafile and keeps it.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        DatafileDownload(datafileConfig, world).start { outcome in
            if let data = outcome.data { self.saveDatafile(data) }
            completionHandler?(outcome.data, outcome.response, outcome.error)
        }
    }

    /// Keeps a datafile.
    open func saveDatafile(_ datafile: Data) { self.datafile.withLock { $0 = datafile } }
    /// Returns the last datafile, or nil if there is none yet.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? { datafile.withLock { $0 } }
    /// Returns whether there is a datafile.
    open func isDatafileCached() -> Bool { getSavedDatafile(nil) != nil }
}
