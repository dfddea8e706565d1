import TurnoutEngine

/// The text of a lock: one JSON array per line, sorted by bytes, so that git merges it line by line.
///
///     ["turnout.lock",1,"Ids and traffic of this project. Commit this file; turnout writes it."]
///     ["id","flag","checkout","4631509270382845"]
///     ["project","shop"]
///     ["retired","flag","old","2715408836511903"]
///     ["revision","production",42,"5f0c…"]
///     ["traffic","rule","production","checkout","checkout_ab",[["off",2500],["on",5000]]]
///
/// Ids and traffic name their kind and the keys of their path. A range of traffic ends before its number, and begins
/// where the one before ends.
extension LockFile {
    /// The first line.
    static let header = JSONValue.array([
        .string("turnout.lock"), .integer(1),
        .string("Ids and traffic of this project. Commit this file; turnout writes it."),
    ])

    /// The lock as text. Equal locks have equal text.
    ///
    /// - Complexity: O(n log n) in the number of ids.
    package var text: String {
        var entries = ids.map { [.string("id")] + $0.key.values + [.string($0.value)] }
        for (path, ids) in retiredIDs {
            entries += ids.map { [.string("retired")] + path.values + [.string($0)] }
        }
        for (path, allocation) in allocations {
            let ranges = allocation.ranges.map { JSONValue.array([.string($0.key), .integer(Int64($0.end))]) }
            entries.append([.string("traffic")] + path.values + [.array(ranges)])
        }
        if let projectKey { entries.append([.string("project"), .string(projectKey)]) }
        for (environment, revision) in revisions {
            let number = JSONValue.integer(Int64(revision.number))
            entries.append([.string("revision"), .string(environment), number, .string(revision.contentHash)])
        }
        let lines = entries.map { Self.line(.array($0)) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ([Self.line(Self.header)] + lines).map { $0 + "\n" }.joined()
    }

    private static func line(_ entry: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(entry)
        return writer.text
    }
}

extension EntityPath {
    fileprivate var values: [JSONValue] { [.string(kind.rawValue)] + keys.map(JSONValue.string) }
}
