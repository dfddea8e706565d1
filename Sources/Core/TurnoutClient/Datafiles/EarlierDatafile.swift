/// The datafile that a client starts with if it has no newer one: the copy that its source cached, or the one that is
/// bundled with the program.
package struct EarlierDatafile {
    package private(set) var project: Project
    package private(set) var isBundled: Bool

    package var origin: DatafileStatus.Origin { isBundled ? .bundled : .cached }

    /// Chooses the cached one, unless it belongs to another project than the bundled one, or the bundled one has a
    /// higher revision and that takes precedence.
    ///
    /// - Parameters:
    ///   - cached: The usable cached one, or nil.
    ///   - prefersHigherRevision: Whether the bundled one takes precedence if its revision is higher.
    ///   - log: Receives why the bundled one was chosen, or cannot be used.
    ///   - bundled: Reads the bundled one. Throws ``StartError/unavailable(_:)`` if there is none.
    /// - Throws: The error of `bundled`, if there is no cached one.
    package init(
        cached: Project?, prefersHigherRevision: Bool, log: any Log, bundled: () throws(StartError) -> Project
    ) throws(StartError) {
        guard let cached else {
            (project, isBundled) = (try bundled(), true)
            return
        }
        (project, isBundled) = (cached, false)
        let other: Project
        do throws(StartError) { other = try bundled() } catch {
            if case .unavailable = error { return }
            log(.warning, "the bundled datafile cannot be used: \(error); using the cached one")
            return
        }
        if other.projectID != cached.projectID {
            log(
                .warning,
                "the cached datafile belongs to project \(cached.projectID), the bundled one to "
                    + "\(other.projectID); using the bundled one")
            (project, isBundled) = (other, true)
        } else if prefersHigherRevision, other.isNewer(than: cached) {
            (project, isBundled) = (other, true)
        }
    }
}

extension Project {
    /// Whether the revision has a higher number than that of an earlier datafile of the project.
    fileprivate func isNewer(than other: Project) -> Bool {
        guard let own = Self.number(inRevision: revision), let others = Self.number(inRevision: other.revision) else {
            return false
        }
        return own > others
    }
}
