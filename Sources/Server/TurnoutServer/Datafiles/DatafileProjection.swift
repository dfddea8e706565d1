import TurnoutClient

/// A value that is computed from all served datafiles when it is first needed, and again when one of them has changed.
package final class DatafileProjection<Value: Sendable>: Sendable {
    private let directory: DatafileDirectory
    private let compute: @Sendable (DatafileDirectory) -> Value
    private let cached = Locked<Value?>(nil)

    /// Creates the value, which is not computed yet.
    ///
    /// - Parameters:
    ///   - directory: The datafiles.
    ///   - compute: Computes the value. Called on the thread that needs it, which others wait for.
    package init(of directory: DatafileDirectory, _ compute: @escaping @Sendable (DatafileDirectory) -> Value) {
        self.directory = directory
        self.compute = compute
        _ = directory.onChange { [weak self] _ in self?.invalidate() }
    }

    /// The value for the current datafiles.
    ///
    /// - Complexity: O(1) unless a datafile has changed.
    package var value: Value {
        // In the lock, so that a change in the meantime is not overwritten.
        cached.withLock { [directory, compute] cached in
            if let cached { return cached }
            let value = compute(directory)
            cached = value
            return value
        }
    }

    /// Lets the value be computed again: something beside the datafiles has changed.
    package func invalidate() { cached.withLock { $0 = nil } }
}
