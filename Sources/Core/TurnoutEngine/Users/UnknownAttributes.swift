/// Counts attributes that a datafile does not know. Their names are probably misspelt: conditions see no value.
///
/// A limited number of names is kept, because users of a server can send any.
package struct UnknownAttributes: Sendable, Equatable {
    /// The maximum number of names.
    package static let nameLimit = 100
    /// The maximum length of a name in bytes.
    package static let lengthLimit = 100

    /// How often each name was counted.
    package private(set) var counts: [String: Int] = [:]
    /// How often names were counted beyond the limits.
    package private(set) var others = 0

    package init() {}

    package mutating func add(_ name: String, count: Int = 1) {
        let isKept = counts[name] != nil || counts.count < Self.nameLimit && name.utf8.count <= Self.lengthLimit
        if isKept { counts[name, default: 0] += count } else { others += count }
    }

    /// Adds the numbers of another part of the users.
    package mutating func add(_ other: UnknownAttributes) {
        for (name, count) in other.counts { add(name, count: count) }
        others += other.others
    }
}

extension Attributes {
    /// The names that are not among known ones. Attributes of the vendor, such as `$opt_bucketing_id`, always are.
    package func names(notIn known: Set<String>) -> [String] {
        var names: [String] = []
        forEachEntry { name, _, _ in
            if !known.contains(name), !name.hasPrefix("$opt_") { names.append(name) }
        }
        return names
    }
}
