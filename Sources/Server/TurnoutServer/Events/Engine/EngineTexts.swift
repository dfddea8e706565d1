import TurnoutClient

/// The texts of rows. One that is frequent among them is kept once, or few times.
struct EngineTexts: Sendable {
    /// The different texts; some more than once.
    private(set) var values: [String] = []
    /// The place of each row's text in the values.
    private(set) var places: [Int32] = []
    /// The places of texts that came last, by hash.
    private var latest: [Int32] = []

    subscript(row: Int) -> String { values[Int(places[row])] }

    /// - Complexity: O(*n*) in the length of the text.
    mutating func append(_ text: UnsafeRawBufferPointer) {
        if latest.isEmpty { latest = Array(repeating: -1, count: 256) }
        let slot = Int(text.reduce(0) { (hash: UInt32, byte) in (hash ^ UInt32(byte)) &* 16_777_619 } >> 24)
        let known = latest[slot]
        let isKnown =
            known >= 0
            && values[Int(known)].utf8.withContiguousStorageIfAvailable {
                MemoryComparison.isEqual(UnsafeRawBufferPointer($0), text)
            } == true
        if isKnown { return places.append(known) }
        latest[slot] = Int32(values.count)
        places.append(latest[slot])
        values.append(String(decoding: text, as: UTF8.self))
    }
}
