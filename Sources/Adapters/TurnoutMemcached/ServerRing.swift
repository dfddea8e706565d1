package import TurnoutClient

/// Consistent hashing of keys to servers: adding or removing a server moves only its share.
package struct ServerRing: Sendable {
    private struct Point {
        let place: UInt32
        let server: Int
    }

    /// Enough for shares within about a tenth of each other.
    private static let pointsPerServer = 160
    private let points: [Point]

    package init(_ servers: [ProfileServerAddress]) {
        let names = servers.map(\.description)
        points = names.enumerated().flatMap { index, name in
            (0..<Self.pointsPerServer).map { Point(place: MD5.prefix(of: "\(name)-\($0)"), server: index) }
        }
        .sorted {
            // Points with the same hash have the same order, whatever the order of the servers.
            $0.place == $1.place ? names[$0.server] < names[$1.server] : $0.place < $1.place
        }
    }

    /// The first server from the key's position on that satisfies a condition, or nil.
    package func server(of key: String, where isWanted: (Int) -> Bool) -> Int? {
        let place = MD5.prefix(of: key)
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].place < place { low = middle + 1 } else { high = middle }
        }
        for offset in points.indices {
            let server = points[(low + offset) % points.count].server
            if isWanted(server) { return server }
        }
        return nil
    }
}

/// The first 32 bits of MD5 (RFC 1321), least significant byte first, as libmemcached hashes keys. It distributes keys
/// and has no security purpose; the result must be the same in every version of this store.
package enum MD5 {
    package static func prefix(of text: String) -> UInt32 {
        var bytes = Array(text.utf8)
        let bitCount = UInt64(bytes.count) &* 8
        bytes.append(0x80)
        bytes.append(contentsOf: repeatElement(0, count: (56 - bytes.count % 64 + 64) % 64))
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        var state = State(a: 0x6745_2301, b: 0xEFCD_AB89, c: 0x98BA_DCFE, d: 0x1032_5476)
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 64) { state.add(bytes, from: start) }
        }
        return state.a
    }

    private struct State {
        var a: UInt32
        var b: UInt32
        var c: UInt32
        var d: UInt32

        /// Adds 64 bytes, which are 16 words, least significant byte first.
        mutating func add(_ bytes: UnsafeRawBufferPointer, from start: Int) {
            var next = self
            for step in 0..<64 {
                let mixed: UInt32
                let word: Int
                switch step >> 4 {
                case 0: (mixed, word) = ((next.b & next.c) | (~next.b & next.d), step)
                case 1: (mixed, word) = ((next.d & next.b) | (~next.d & next.c), (5 &* step &+ 1) & 15)
                case 2: (mixed, word) = (next.b ^ next.c ^ next.d, (3 &* step &+ 5) & 15)
                default: (mixed, word) = (next.c ^ (next.b | ~next.d), (7 &* step) & 15)
                }
                let value = bytes.loadUnaligned(fromByteOffset: start &+ 4 &* word, as: UInt32.self)
                let sum = next.a &+ mixed &+ sines[step] &+ UInt32(littleEndian: value)
                let turn = turns[(step >> 4) &* 4 &+ (step & 3)]
                next.a = next.d
                next.d = next.c
                next.c = next.b
                next.b = next.b &+ (sum &<< turn | sum &>> (32 &- turn))
            }
            a = a &+ next.a
            b = b &+ next.b
            c = c &+ next.c
            d = d &+ next.d
        }
    }

    private static let turns: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    /// The fractions of the sines of 1 to 64.
    private static let sines: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
        0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
        0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
        0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
        0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
        0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
        0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
    ]
}
