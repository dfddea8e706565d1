import TurnoutEngine

/// The text of a lock: one JSON array per line, sorted by bytes, so that git merges it line by line.
///
///     ["turnout.lock",3,"Ids and traffic of this project. Commit this file; turnout writes it."]
///     ["id","flag","checkout","4631509270382845"]
///     ["project","shop"]
///     ["retired","flag","old","2715408836511903"]
///     ["revision","production",42,"5f0c…"]
///     ["traffic","rule","production","checkout","checkout_ab",[["off",2500],["on",5000]]]
///     ["type","variable","checkout","steps","integer"]
///     ["turnout.lock","end"]
///
/// Ids and traffic name their kind and the keys of their path. A range of traffic ends before its number, and begins
/// where the one before ends. `["on",5000,"paused"]` is kept for a key whose traffic is 0 %.
///
/// The last line never changes, so it merges well; without it, a file that was cut at the end of a line would look
/// complete. Locks of version 1 do not have it, and those of versions 1 and 2 have no types.
extension LockFile {
    static let header = JSONValue.array([
        .string("turnout.lock"), .integer(3),
        .string("Ids and traffic of this project. Commit this file; turnout writes it."),
    ])
    static let end = JSONValue.array([.string("turnout.lock"), .string("end")])

    /// The lock as text. Equal locks have equal text.
    ///
    /// - Complexity: O(n log n) in the number of ids.
    package var text: String {
        var entries = ids.map { Self.entry($0.value, of: $0.key) }
        for (path, ids) in retiredIDs {
            entries += ids.map { [.string("retired")] + path.values + [.string($0)] }
        }
        for (path, allocation) in allocations {
            entries.append([.string("traffic")] + path.values + [.array(allocation.ranges.map(\.value))])
        }
        for (path, types) in types {
            entries += types.map { [.string("type")] + path.values + [.string($0)] }
        }
        if let projectKey { entries.append([.string("project"), .string(projectKey)]) }
        for (environment, revision) in revisions {
            let number = JSONValue.integer(Int64(revision.number))
            entries.append([.string("revision"), .string(environment), number, .string(revision.contentHash)])
        }
        let lines = entries.map { Self.line(.array($0)) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ([Self.line(Self.header)] + lines + [Self.line(Self.end)]).map { $0 + "\n" }.joined()
    }

    /// The line of an id, without its line break.
    static func line(ofID id: String, of path: EntityPath) -> String { line(.array(entry(id, of: path))) }

    private static func entry(_ id: String, of path: EntityPath) -> [JSONValue] {
        [.string("id")] + path.values + [.string(id)]
    }

    /// A line of the lock, without its line break.
    static func line(_ entry: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(entry)
        return writer.text
    }
}

extension EntityPath {
    fileprivate var values: [JSONValue] { [.string(kind.rawValue)] + keys.map(JSONValue.string) }
}

extension TrafficAllocation.Range {
    /// The additional element of a range without traffic.
    static let pausedMark = JSONValue.string("paused")

    fileprivate var value: JSONValue {
        .array([.string(key), .integer(Int64(end))] + (isPaused ? [Self.pausedMark] : []))
    }
}
