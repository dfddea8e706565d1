/// The entries of a project's attributes in payloads, each written up to its value.
///
/// A lookup uses the hash that the user's attribute already has. All fragments share one block of memory, so appending
/// one counts no references.
struct AttributeFragments: Sendable {
    private var bytes: [UInt8] = []
    private var fragments: [Fragment] = []
    /// Open addressing: the index of a fragment plus one, or 0 for an empty slot. The size is a power of two, at most
    /// half full.
    private var slots: [UInt32]
    /// The length of the longest fragment.
    private(set) var longest = 0

    private struct Fragment {
        var name: String
        var hash: UInt32
        var range: Range<Int>
    }

    /// Writes the fragments of some attributes. Of several with the same name the last one counts.
    init(_ attributes: [(id: String, key: String)]) {
        var capacity = 8
        while capacity < attributes.count * 2 { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        for (id, key) in attributes {
            let start = bytes.count
            bytes += Self.fragment(id: id, name: key).utf8
            let fragment = Fragment(name: key, hash: Attributes.hash(of: key), range: start..<bytes.count)
            longest = max(longest, bytes.count - start)
            fragments.append(fragment)
            slots[slot(of: key, hash: fragment.hash)] = UInt32(fragments.count)
        }
    }

    /// `{"entity_id":"7001","key":"plan","type":"custom","value":`
    static func fragment(id: String, name: String) -> String {
        var writer = JSONWriter()
        writer.append("{\"entity_id\":")
        writer.appendQuoted(id)
        writer.append(",\"key\":")
        writer.appendQuoted(name)
        writer.append(",\"type\":\"custom\",\"value\":")
        return writer.text
    }

    /// The number of an attribute's fragment, or nil if the project has no such attribute.
    @inline(__always)
    func number(of name: String, hash: UInt32) -> Int? {
        let number = slots[slot(of: name, hash: hash)]
        return number == 0 ? nil : Int(number) - 1
    }

    /// Appends the fragment with a number.
    @inline(__always)
    func append(_ number: Int, to cursor: inout ByteCursor) {
        bytes.withBytes { cursor.append(UnsafeBufferPointer(rebasing: $0[fragments[number].range])) }
    }

    /// The slot of a name, or the empty one where it belongs.
    @inline(__always)
    private func slot(of name: String, hash: UInt32) -> Int {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if fragments[number].hash == hash, fragments[number].name.hasSameBytes(as: name) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}
