/// Two keys with the same id, in a lock that git merged.
///
/// Ids are never reused, so one key is the new name of the other: a branch renamed it, and another branch changed lines
/// of the old key. The project tells which key is the new one.
package struct SharedID: Sendable, Equatable {
    /// The path that comes first in the lock.
    package var first: EntityPath
    /// The other path.
    package var second: EntityPath
    /// Their lines.
    package var lines: [Int]
}
