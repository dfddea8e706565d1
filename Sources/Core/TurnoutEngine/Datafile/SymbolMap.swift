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
