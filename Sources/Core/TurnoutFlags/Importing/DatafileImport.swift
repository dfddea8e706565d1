package import TurnoutEngine

/// A project created from a datafile, which compiles to one that decides alike.
///
/// All ids and the ranges of all traffic are kept in the lock. After the conversion the project is compiled and
/// compared with the datafile: members that differ are carried verbatim, so nothing can get lost that the project file
/// has no spelling for.
package struct DatafileImport: Sendable {
    package let project: AuthoredProject
    /// The ids and the traffic of the datafile.
    package let lock: LockFile
    /// The members that are carried verbatim, and those that are left out because they have no effect.
    package let notes: [Diagnostic]

    /// Converts a datafile.
    ///
    /// - Parameters:
    ///   - datafile: The datafile.
    ///   - environment: The key of its environment. Default: the one that the datafile names, or `production`.
    /// - Throws: The error of the engine, if it cannot read the datafile.
    /// - Complexity: O(n) in the size of the datafile.
    package init(_ datafile: [UInt8], environment: String? = nil) throws(DatafileError) {
        _ = try Project(datafile: datafile)
        let root: JSONValue
        do throws(JSONError) { root = try JSONValue(parsing: datafile) } catch { throw .invalid(error) }
        let effective = EffectiveDatafile(root)
        var converter = DatafileConverter(effective.root, environment: environment)
        converter.convert()
        let carried = VerbatimMembers(converter, text: datafile).carried()
        (project, lock) = (carried.project, carried.lock)
        notes = effective.notes + converter.notes + carried.notes
    }
}
