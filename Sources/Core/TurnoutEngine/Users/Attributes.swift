/// A user's attributes: names and values.
///
/// Names are compared by their bytes, so the two spellings of é differ. Two names are special:
/// `$opt_bucketing_id` (a string that replaces the user's id for bucketing) and `$opt_user_agent`.
///
/// A lookup compares hashes that were computed when the attribute was set; it does not allocate.
public struct Attributes: Sendable {
    /// One allocation holds the attributes and, if there are many, their hash table: users are copied for each
    /// decision, and each further reference would have to be retained.
    private var entries: [Entry] = []

    /// Up to this number a linear scan of the hashes is faster.
    private static let few = 16

    /// Random for each process, so that names cannot be crafted to cause collisions. This is the exception to rule 1 of
    /// ARCHITECTURE.md, the engine without global state; no result depends on it.
    private static let seed = UInt64(bitPattern: Int64(Hasher().finalize()))

    private struct Entry: Sendable {
        var name: String
        var value: AttributeValue
        var hash: UInt32
        /// The first entry of the chain for hashes that end in this entry's index: its index plus one, or 0.
        var chain: UInt32 = 0
        /// The next entry of this entry's chain: its index plus one, or 0.
        var next: UInt32 = 0
    }

    /// Creates an empty set of attributes.
    public init() {}

    /// Creates attributes from a dictionary.
    public init(_ values: [String: AttributeValue]) {
        self.init(capacity: values.count)
        for (name, value) in values { add(name, value) }
    }

    /// Creates an empty set with memory for a number of attributes.
    package init(capacity: Int) { entries.reserveCapacity(capacity) }

    /// Adds an attribute whose name is not in the set, as for the elements of a dictionary.
    package mutating func add(_ name: consuming String, _ value: consuming AttributeValue) {
        let hash = Self.hash(of: name)
        append(Entry(name: name, value: value, hash: hash))
    }

    /// Creates attributes from variables, optionals and enumerations; of duplicate names the last wins. Nil leaves an
    /// attribute out.
    ///
    /// ```swift
    /// Attributes(["country": user.country, "plan": Plan.gold, "age": 36])
    /// ```
    @_disfavoredOverload
    public init(_ values: KeyValuePairs<String, (any AttributeConvertible)?>) {
        // Disfavored because a literal of literals takes two thirds of the instructions without existential values.
        entries.reserveCapacity(values.count)
        for (name, value) in values { self[name] = value?.attributeValue }
    }

    /// The number of attributes, including explicit nulls.
    public var count: Int { entries.count }

    /// Whether there are no attributes.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of an attribute, or nil if it is not set. Setting nil removes the attribute; set `.null` for an
    /// explicit null.
    ///
    /// - Complexity: O(1) on average, amortized.
    public subscript(name: String) -> AttributeValue? {
        get { value(hash: Self.hash(of: name)) { $0.hasSameBytes(as: name) } }
        set {
            let hash = Self.hash(of: name)
            let match = place(hash: hash) { $0.hasSameBytes(as: name) }
            switch (match, newValue) {
            case (let match?, let value?): entries[match].value = value
            case (let match?, nil): remove(at: match)
            case (nil, let value?): append(Entry(name: name, value: value, hash: hash))
            case (nil, nil): break
            }
        }
    }

    @inline(__always)
    private mutating func append(_ entry: consuming Entry) {
        entries.append(entry)
        if entries.count > Self.few { linkLast() }
    }

    /// Calls `body` for each attribute with its name, value and hash, without the copies an iterator makes.
    @inline(__always)
    func forEachEntry(_ body: (String, AttributeValue, UInt32) -> Void) {
        entries.withUnsafeBufferPointer { entries in
            for place in entries.indices { body(entries[place].name, entries[place].value, entries[place].hash) }
        }
    }

    @inline(__always)
    static func hash(of name: String) -> UInt32 { TextHash(name, seed: seed).value }

    /// The value of an attribute for the hash of its name; `isName` is called only for entries with that hash.
    @inline(__always)
    func value(hash: UInt32, _ isName: (String) -> Bool) -> AttributeValue? {
        place(hash: hash, isName).map { entries[$0].value }
    }

    /// One loop for both cases: a separate function would retain a reference on each call.
    @inline(__always)
    private func place(hash: UInt32, _ isName: (String) -> Bool) -> Int? {
        let isChained = entries.count > Self.few
        var place = isChained ? Int(entries[chain(of: hash)].chain) - 1 : 0
        while place >= 0, place < entries.count {
            if entries[place].hash == hash, isName(entries[place].name) { return place }
            place = isChained ? Int(entries[place].next) - 1 : place + 1
        }
        return nil
    }

    // MARK: Many attributes

    /// The number of chains: the largest power of two that is not above the number of attributes.
    @inline(__always)
    private var chainCount: Int { 1 << (Int.bitWidth - 1 - entries.count.leadingZeroBitCount) }

    @inline(__always)
    private func chain(of hash: UInt32) -> Int { Int(hash) & (chainCount - 1) }

    /// Adds the last entry to the hash table.
    @inline(never)
    private mutating func linkLast() {
        if entries.count == Self.few + 1 || entries.count == chainCount { linkAll() } else { link(entries.count - 1) }
    }

    private mutating func linkAll() {
        for place in entries.indices { entries[place].chain = 0 }
        for place in entries.indices { link(place) }
    }

    private mutating func link(_ place: Int) {
        let chain = chain(of: entries[place].hash)
        entries[place].next = entries[chain].chain
        entries[chain].chain = UInt32(place + 1)
    }

    private mutating func unlink(_ place: Int) {
        let chain = chain(of: entries[place].hash)
        let next = entries[place].next
        guard Int(entries[chain].chain) != place + 1 else { return entries[chain].chain = next }
        var earlier = Int(entries[chain].chain) - 1
        while Int(entries[earlier].next) != place + 1 { earlier = Int(entries[earlier].next) - 1 }
        entries[earlier].next = next
    }

    @inline(never)
    private mutating func remove(at place: Int) {
        guard entries.count > Self.few else {
            entries.remove(at: place)
            return
        }
        // Move the last entry into the gap: shifting all entries in between would take long.
        unlink(place)
        let last = entries.count - 1
        if place != last {
            unlink(last)
            (entries[place].name, entries[place].value) = (entries[last].name, entries[last].value)
            entries[place].hash = entries[last].hash
            link(place)
        }
        let chainCount = chainCount
        entries.removeLast()
        if entries.count > Self.few, chainCount != self.chainCount { linkAll() }
    }
}

extension Attributes: ExpressibleByDictionaryLiteral, Sequence, CustomStringConvertible {
    /// The names of the attributes, sorted. Their values may be personal and are left out.
    public var description: String { map(\.name).sorted().joined(separator: ", ") }

    /// The names, with the values on request: `country=US, orders=12`.
    public func description(includingPersonalData isIncluded: Bool) -> String {
        guard isIncluded else { return description }
        return map { "\($0.name)=\($0.value)" }.sorted().joined(separator: ", ")
    }

    /// Creates attributes from a literal; of duplicate names the last wins.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self.init(capacity: elements.count)
        for (name, value) in elements { self[name] = value }
    }

    /// All attributes, in an unspecified order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: AttributeValue)> {
        entries.lazy.map { (name: $0.name, value: $0.value) }.makeIterator()
    }
}

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
