/// A string of the datafile, as an index into the project's ``SymbolTable``. Equal strings have equal symbols.
struct Symbol: Hashable, Sendable {
    let index: UInt32

    /// Represents an absent optional string.
    static let none = Symbol(index: .max)
    /// The empty string, the first symbol of every table.
    static let empty = Symbol(index: 0)
}

/// A run of adjacent rows in one of the project's tables.
///
/// Tables and runs replace an array per entity, so a datafile of 2.6 MB loads with a few hundred allocations.
struct Rows: Sendable {
    let first: Int32
    private(set) var count: Int32

    static let none = Rows(first: 0, count: 0)

    init(first: Int32, count: Int32) {
        self.first = first
        self.count = count
    }

    /// The rows appended to a table since it had `start` rows.
    init(from start: Int, to end: Int) { self.init(first: Int32(start), count: Int32(end - start)) }

    var isEmpty: Bool { count == 0 }
    var range: Range<Int> { Int(first)..<Int(first + count) }
    var last: Int? { isEmpty ? nil : Int(first + count - 1) }
}

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

/// A small hash table from symbols to row numbers, which finds an entity by its key or id.
struct SymbolMap: Sendable {
    private var slots: [Slot]
    private(set) var count = 0
    /// Random, and odd: no symbol is lost in the product.
    private let multiplier: UInt64

    private struct Slot {
        var symbol = Symbol.none
        var row: Int32 = 0
    }

    /// Creates a map that expects about `count` entries.
    init(expecting count: Int) {
        var capacity = 8
        while capacity < count * 2 { capacity *= 2 }
        slots = Array(repeating: Slot(), count: capacity)
        var hasher = Hasher()
        hasher.combine(capacity)
        multiplier = UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// The row of a symbol, or nil.
    @inline(__always)
    subscript(symbol: Symbol) -> Int? {
        var slot = place(of: symbol)
        while slots[slot].symbol != .none {
            if slots[slot].symbol == symbol { return Int(slots[slot].row) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Sets the row for a symbol, replacing an earlier one: of two entities with the same key the last wins.
    mutating func set(_ symbol: Symbol, row: Int) {
        var slot = place(of: symbol)
        while slots[slot].symbol != .none, slots[slot].symbol != symbol { slot = (slot + 1) & (slots.count - 1) }
        if slots[slot].symbol == .none { count += 1 }
        slots[slot] = Slot(symbol: symbol, row: Int32(row))
        if count * 2 > slots.count { grow() }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        count = 0
        for slot in old where slot.symbol != .none { set(slot.symbol, row: Int(slot.row)) }
    }

    /// The multiplier is random, so that keys cannot be crafted to collide. Symbols are small consecutive numbers,
    /// which some multipliers spread badly; a second, fixed one spreads the upper half of the product as well (Knuth,
    /// TAOCP 3, 6.4).
    @inline(__always)
    private func place(of symbol: Symbol) -> Int {
        var product = UInt64(symbol.index) &* multiplier
        product ^= product >> 32
        return Int(truncatingIfNeeded: (product &* 0x9E37_79B9_7F4A_7C15) >> 32) & (slots.count - 1)
    }
}
