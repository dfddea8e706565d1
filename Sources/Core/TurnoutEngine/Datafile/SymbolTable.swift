/// Holds every text of a datafile once, and finds it by name.
///
/// Texts are told apart byte by byte, because keys are reported and ids are hashed exactly as they are written. Names
/// are *looked up* as Swift compares strings, by canonical equivalence; of several equivalent texts the first one
/// is the ``name(of:)`` of all. For ASCII the two are the same and cost the same.
struct SymbolTable: Sendable {
    private(set) var texts: [String] = []
    private var hashes: [UInt32] = []
    /// Open addressing: the index of a text plus one, or 0 for an empty slot. A power of two, at most 3/4 full.
    private var slots: [UInt32]
    /// Names of texts that are not the first of their equivalence class. Empty for datafiles in ASCII.
    private var names: [Symbol: Symbol] = [:]
    /// Differs from process to process, so that no datafile can be made to collide.
    private let seed = UInt64(bitPattern: Int64(Hasher().finalize()))

    /// Creates a table that expects about `count` texts.
    init(expecting count: Int) {
        var capacity = 64
        while capacity * 3 / 4 < count { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        let empty: [UInt8] = []
        _ = empty.withBytes { intern($0) }
    }

    @inline(__always)
    func text(_ symbol: Symbol) -> String { texts[Int(symbol.index)] }

    /// The text of an optional field.
    func optionalText(_ symbol: Symbol) -> String? { symbol == .none ? nil : text(symbol) }

    /// The first of all texts that are canonically equivalent to this one.
    @inline(__always)
    func name(of symbol: Symbol) -> Symbol { names.isEmpty ? symbol : names[symbol] ?? symbol }

    // MARK: Filling

    /// The symbol of a text, which is added if it is new. The bytes must be valid UTF-8.
    @inline(__always)
    mutating func intern(_ bytes: UnsafeBufferPointer<UInt8>) -> Symbol {
        guard let hash = TextHash.ascii(bytes, seed: seed) else { return internBeyondASCII(bytes) }
        return intern(bytes, hash: hash).symbol
    }

    @inline(__always)
    private mutating func intern(
        _ bytes: UnsafeBufferPointer<UInt8>, hash: UInt64
    ) -> (symbol: Symbol, isNew: Bool) {
        let short = UInt32(truncatingIfNeeded: hash)
        var slot = Int(short) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if hashes[index] == short, texts[index].hasBytes(bytes) { return (Symbol(index: UInt32(index)), false) }
            slot = (slot + 1) & (slots.count - 1)
        }
        texts.append(String(decoding: bytes, as: UTF8.self))
        hashes.append(short)
        slots[slot] = UInt32(texts.count)
        if texts.count * 4 > slots.count * 3 { grow() }
        return (Symbol(index: UInt32(texts.count - 1)), true)
    }

    private mutating func internBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Symbol {
        let text = String(decoding: bytes, as: UTF8.self)
        let earlier: Symbol? =
            if let twin = text.asciiTwin { twin.withBytes { intern($0) } } else { find(text) }
        let (symbol, isNew) = intern(bytes, hash: TextHash.canonical(text, seed: seed))
        if isNew, let earlier { names[symbol] = name(of: earlier) }
        return symbol
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for (index, hash) in hashes.enumerated() {
            var slot = Int(hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    // MARK: Looking up

    /// The symbol of a name, or nil if the datafile does not mention it. Allocates nothing.
    @inline(__always)
    func find(_ text: String) -> Symbol? {
        let short = UInt32(truncatingIfNeeded: TextHash.name(text, seed: seed))
        var slot = Int(short) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if hashes[index] == short, texts[index] == text { return name(of: Symbol(index: UInt32(index))) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// The symbol of a text in ASCII, or nil.
    @inline(__always)
    func findASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Symbol? {
        guard let hash = TextHash.ascii(bytes, seed: seed) else { return nil }
        let short = UInt32(truncatingIfNeeded: hash)
        var slot = Int(short) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if hashes[index] == short, texts[index].hasBytes(bytes) { return Symbol(index: UInt32(index)) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }
}

extension String {
    @inline(__always)
    fileprivate func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        utf8.count == bytes.count && withBytes { $0.elementsEqual(bytes) }
    }
}
