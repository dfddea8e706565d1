import Foundation
import TurnoutClient

/// Remembers the project of the last parsed datafile, so that a handler and its clients parse each datafile once.
final class DatafileMemo: Sendable {
    private let last = Locked<(datafile: Data, project: Project)?>(nil)

    /// Parses a datafile, unless it is the one that was parsed last.
    func project(of datafile: Data) throws(DatafileError) -> Project {
        if let last = last.withLock({ $0 }), last.datafile == datafile { return last.project }
        let project = try Project(datafile: [UInt8](datafile))
        last.withLock { $0 = (datafile, project) }
        return project
    }
}
