/// Holds every text of a datafile once, and finds it by name.
///
/// Texts are told apart byte by byte, because keys are reported and ids are hashed exactly as they are written. Names
/// are *looked up* as Swift compares strings, by canonical equivalence; of several equivalent texts the first one
/// is the ``name(of:)`` of all. For ASCII the two are the same and cost the same.
struct SymbolTable: Sendable {
    private var texts: [String] = []
    private var hashes: [TextHash] = []
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
        texts.reserveCapacity(count)
        hashes.reserveCapacity(count)
        _ = intern(UnsafeBufferPointer(start: nil, count: 0))
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
        guard let hash = TextHash(ascii: bytes, seed: seed) else { return internBeyondASCII(bytes) }
        return find(hash, { $0.hasBytes(bytes) }) ?? add(bytes, hash)
    }

    /// The symbol of a text, which is added if it is new.
    mutating func intern(_ text: String) -> Symbol { text.withBytes { intern($0) } }

    private mutating func internBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Symbol {
        let text = String(decoding: bytes, as: UTF8.self)
        let hash = TextHash(canonical: text, seed: seed)
        // The ASCII twin goes first, so that it is the name of the class and lookups need to know only one.
        let earlier: Symbol? = if let twin = text.asciiTwin { intern(twin) } else { find(text) }
        if let same = find(hash, { $0.hasBytes(bytes) }, evenIfComplete: true) { return same }
        let symbol = add(bytes, hash)
        if let earlier { names[symbol] = name(of: earlier) }
        return symbol
    }

    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ hash: TextHash) -> Symbol {
        texts.append(String(decoding: bytes, as: UTF8.self))
        hashes.append(hash)
        place(texts.count)
        if texts.count * 4 > slots.count * 3 { grow() }
        return Symbol(index: UInt32(texts.count - 1))
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for number in 1...texts.count { place(number) }
    }

    /// Puts the text with a number, counted from 1, in the first free slot.
    private mutating func place(_ number: Int) {
        var slot = Int(truncatingIfNeeded: hashes[number - 1].value) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(number)
    }

    // MARK: Looking up

    /// The symbol of a name, or nil if the datafile does not mention it. Allocates nothing.
    @inline(__always)
    func find(_ name: String) -> Symbol? {
        find(TextHash(name: name, seed: seed), { $0 == name }).map { self.name(of: $0) }
    }

    /// The symbol of a text in ASCII, or nil.
    @inline(__always)
    func find(ascii bytes: UnsafeBufferPointer<UInt8>) -> Symbol? {
        TextHash(ascii: bytes, seed: seed).flatMap { find($0, { $0.hasBytes(bytes) }) }
    }

    /// The first text with a fingerprint; texts too long for it are compared.
    @inline(__always)
    private func find(
        _ hash: TextHash, _ isSame: (String) -> Bool, evenIfComplete: Bool = false
    ) -> Symbol? {
        var slot = Int(truncatingIfNeeded: hash.value) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if hashes[index] == hash, hash.isComplete && !evenIfComplete || isSame(texts[index]) {
                return Symbol(index: UInt32(index))
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }
}
