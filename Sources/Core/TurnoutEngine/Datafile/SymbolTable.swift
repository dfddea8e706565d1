/// Holds every string of a datafile once, and finds it by name. Strings are compared by their bytes.
struct SymbolTable: Sendable {
    private var entries: [Entry] = []
    /// Open addressing: the index of a string plus one, or 0 for an empty slot. The size is a power of two, at most 3/4
    /// full.
    private var slots: [UInt32]
    /// Random for each process, so that strings cannot be chosen to collide.
    private let seed = UInt64(bitPattern: Int64(Hasher().finalize()))

    private struct Entry {
        let hash: TextHash
        let text: String
    }

    /// Creates a table sized for about `count` strings.
    init(expecting count: Int) {
        var capacity = 64
        while capacity * 3 / 4 < count { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        entries.reserveCapacity(count)
        _ = intern(UnsafeBufferPointer(start: nil, count: 0))
    }

    @inline(__always)
    func text(_ symbol: Symbol) -> String { entries[Int(symbol.index)].text }

    /// The string of an optional field.
    func optionalText(_ symbol: Symbol) -> String? { symbol == .none ? nil : text(symbol) }

    // MARK: Filling

    /// The symbol of a string, which is added if it is new. The bytes must be valid UTF-8.
    @inline(__always)
    mutating func intern(_ bytes: UnsafeBufferPointer<UInt8>) -> Symbol {
        let hash = TextHash(bytes, seed: seed)
        let slot = slot(of: hash) { $0.hasBytes(bytes) }
        return symbol(at: slot) ?? add(bytes, hash, at: slot)
    }

    /// The symbol of a string, which is added if it is new.
    mutating func intern(_ text: String) -> Symbol { text.withBytes { intern($0) } }

    /// Out of line, because most strings of a datafile occur more than once.
    @inline(never)
    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ hash: TextHash, at slot: Int) -> Symbol {
        entries.append(Entry(hash: hash, text: String(validUTF8: bytes)))
        slots[slot] = UInt32(truncatingIfNeeded: entries.count)
        if entries.count * 4 > slots.count * 3 { grow() }
        return Symbol(index: UInt32(truncatingIfNeeded: entries.count - 1))
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for index in entries.indices {
            var slot = firstSlot(for: entries[index].hash)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(truncatingIfNeeded: index + 1)
        }
    }

    // MARK: Looking up

    /// The symbol of a name, or nil if the datafile does not contain it. Does not allocate.
    @inline(__always)
    func find(_ name: String) -> Symbol? { name.withBytes { find($0) } }

    /// The symbol of a string, or nil.
    @inline(__always)
    func find(_ bytes: UnsafeBufferPointer<UInt8>) -> Symbol? {
        symbol(at: slot(of: TextHash(bytes, seed: seed)) { $0.hasBytes(bytes) })
    }

    @inline(__always)
    private func firstSlot(for hash: TextHash) -> Int { Int(truncatingIfNeeded: hash.value) & (slots.count - 1) }

    /// The symbol in a slot, or nil if it is empty.
    @inline(__always)
    private func symbol(at slot: Int) -> Symbol? { slots[slot] == 0 ? nil : Symbol(index: slots[slot] &- 1) }

    /// The slot of the string with a fingerprint, or the empty one where it belongs. Strings too long for the
    /// fingerprint are compared.
    @inline(__always)
    private func slot(of hash: TextHash, _ isSame: (String) -> Bool) -> Int {
        var slot = firstSlot(for: hash)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].hash == hash, hash.isComplete || isSame(entries[index].text) {
                return slot
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}

extension String {
    /// The string of bytes that are known to be valid UTF-8.
    @inline(__always)
    fileprivate init(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        // Up to 15 bytes are stored in the string itself, which takes half the instructions of decoding.
        guard bytes.count <= 15 else {
            self.init(decoding: bytes, as: UTF8.self)
            return
        }
        self.init(unsafeUninitializedCapacity: bytes.count) { $0.initialize(fromContentsOf: bytes) }
    }
}
