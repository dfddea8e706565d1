package import Foundation
package import TurnoutClient

/// Parses datafiles, and remembers the last two, usable or not: the cached copy, and the bundled datafile or a new one.
/// A handler and its clients share a memo, so that each datafile is parsed once.
package final class DatafileMemo: Sendable {
    private struct State {
        var last: [(datafile: Data, parsed: Result<Project, DatafileError>)] = []
        var parseCount = 0
    }

    private let format: DatafileFormat
    private let state = Locked(State())

    /// Creates a memo without datafiles.
    package init(format: DatafileFormat = .current) { self.format = format }

    /// How many datafiles were parsed.
    package var parseCount: Int { state.withLock { $0.parseCount } }

    /// Parses a datafile, unless it is one of the last two.
    package func project(of datafile: Data) throws(DatafileError) -> Project {
        // Under the lock, so that the second of two callers waits for the first instead of parsing too.
        let parsed = state.withLock { state in
            if let known = state.last.first(where: { $0.datafile == datafile }) { return known.parsed }
            let parsed = parse(datafile)
            if state.last.count == 2 { state.last.removeFirst() }
            state.last.append((datafile, parsed))
            state.parseCount += 1
            return parsed
        }
        return try parsed.get()
    }

    private func parse(_ datafile: Data) -> Result<Project, DatafileError> {
        do throws(DatafileError) {
            return .success(try Project(datafile: [UInt8](datafile), format: format))
        } catch { return .failure(error) }
    }
}
