/// What is known about a user: attribute names and their values.
///
/// Names are compared as Swift compares strings, case-sensitively and by canonical equivalence. Two names have a
/// meaning of their own: `$opt_bucketing_id` (a text that replaces the user's id for bucketing) and `$opt_user_agent`.
///
/// A lookup compares hashes that were computed when the attribute was set; it allocates nothing.
public struct Attributes: Sendable {
    /// Sorted by hash.
    private var entries: [Entry] = []

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
        for (name, value) in values { insert(name, value) }
    }

    /// Sets an attribute that is probably new: appends it and moves it to its place.
    @inline(__always)
    private mutating func insert(_ name: String, _ value: AttributeValue) {
        let hash = Self.hash(of: name)
        var index = entries.count
        while index > 0, entries[index - 1].hash > hash { index -= 1 }
        guard index == 0 || entries[index - 1].hash != hash else {
            self[name] = value
            return
        }
        entries.append(Entry(hash: hash, name: name, value: value))
        var place = entries.count - 1
        while place > index {
            entries.swapAt(place, place - 1)
            place -= 1
        }
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
            let index = firstIndex(of: hash)
            let match = entries[index...].prefix { $0.hash == hash }.firstIndex { $0.name == name }
            switch (match, newValue) {
            case (let match?, let value?): entries[match].value = value
            case (let match?, nil): entries.remove(at: match)
            case (nil, let value?): entries.insert(Entry(hash: hash, name: name, value: value), at: index)
            case (nil, nil): break
            }
        }
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
        var index = firstIndex(of: hash)
        while index < entries.count, entries[index].hash == hash {
            if isName(entries[index].name) { return entries[index].value }
            index += 1
        }
        return nil
    }

    /// The first entry whose hash is not smaller. Walks through few entries, bisects many.
    @inline(__always)
    private func firstIndex(of hash: UInt32) -> Int {
        var low = 0
        var high = entries.count
        while high - low > 8 {
            let middle = (low + high) / 2
            if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        while low < high, entries[low].hash < hash { low += 1 }
        return low
    }
}

extension Attributes: ExpressibleByDictionaryLiteral, Sequence {
    /// Creates attributes from a literal; of two equal names the last wins.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        entries.reserveCapacity(elements.count)
        for (name, value) in elements { insert(name, value) }
    }

    /// All attributes, in an order that is unspecified but the same for the same names.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: AttributeValue)> {
        entries.lazy.map { (name: $0.name, value: $0.value) }.makeIterator()
    }
}
