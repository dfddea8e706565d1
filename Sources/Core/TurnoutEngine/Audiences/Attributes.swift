/// What is known about a user: attribute names and their values.
///
/// Names are compared as Swift compares strings, case-sensitively and by canonical equivalence. Two names have a
/// meaning of their own: `$opt_bucketing_id` (a text that replaces the user's id for bucketing) and `$opt_user_agent`.
///
/// A lookup compares hashes that were computed when the attribute was set; it allocates nothing.
public struct Attributes: Sendable {
    /// In the order they were set, as long as they are few; sorted by hash when they are many.
    private var entries: [Entry] = []

    /// Up to this number, to walk through all is faster than to bisect, and to append faster than to insert.
    private static let few = 16

    private struct Entry: Sendable {
        let hash: UInt32
        let name: String
        var value: AttributeValue
    }

    /// Creates an empty set of attributes.
    public init() {}

    /// Takes over a dictionary.
    public init(_ values: [String: AttributeValue]) {
        entries.reserveCapacity(values.count)
        for (name, value) in values { self[name] = value }
    }

    /// The number of attributes, explicit nulls included.
    public var count: Int { entries.count }

    /// Whether there are no attributes.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of an attribute, or nil: not set. Setting nil removes the attribute; set `.null` to give it
    /// explicitly no value.
    ///
    /// - Complexity: O(log n) to read, O(n) to set.
    public subscript(name: String) -> AttributeValue? {
        get { value(hash: Self.hash(of: name)) { $0 == name } }
        set {
            let hash = Self.hash(of: name)
            let match = place(hash: hash) { $0 == name }
            switch (match, newValue) {
            case (let match?, let value?): entries[match].value = value
            case (let match?, nil): entries.remove(at: match)
            case (nil, let value?): add(Entry(hash: hash, name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    private mutating func add(_ entry: Entry) {
        guard entries.count >= Self.few else { return entries.append(entry) }
        if entries.count == Self.few { entries.sort { $0.hash < $1.hash } }
        entries.insert(entry, at: firstIndex(of: entry.hash))
    }

    /// Calls `body` for each attribute, without an iterator's copies.
    @inline(__always)
    func forEachEntry(_ body: (String, AttributeValue) -> Void) {
        for entry in entries { body(entry.name, entry.value) }
    }

    static func hash(of name: String) -> UInt32 { TextHash(name: name, seed: 0).value }

    /// The value of an attribute whose name's hash is known already; the name itself is looked at only if one matches.
    @inline(__always)
    func value(hash: UInt32, _ isName: (String) -> Bool) -> AttributeValue? {
        place(hash: hash, isName).map { entries[$0].value }
    }

    @inline(__always)
    private func place(hash: UInt32, _ isName: (String) -> Bool) -> Int? {
        let isSorted = entries.count > Self.few
        var index = isSorted ? firstIndex(of: hash) : 0
        while index < entries.count {
            if entries[index].hash == hash {
                if isName(entries[index].name) { return index }
            } else if isSorted {
                return nil
            }
            index += 1
        }
        return nil
    }

    /// The first entry whose hash is not smaller, if the entries are sorted.
    private func firstIndex(of hash: UInt32) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Attributes: ExpressibleByDictionaryLiteral, Sequence {
    /// Creates attributes from a literal; of two equal names the last wins.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        entries.reserveCapacity(elements.count)
        for (name, value) in elements { self[name] = value }
    }

    /// All attributes, in an unspecified order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: AttributeValue)> {
        entries.lazy.map { (name: $0.name, value: $0.value) }.makeIterator()
    }
}
