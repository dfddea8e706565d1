/// SHA-1 (FIPS 180-4, section 6.1), for signatures of formats that prescribe it.
enum SHA1: HashFunction {
    static let initialState: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    static let scheduleSize = 80

    static func add(_ schedule: UnsafeMutableBufferPointer<UInt32>, to state: inout [UInt32]) {
        for step in 16..<80 {
            let mixed = schedule[step - 3] ^ schedule[step - 8] ^ schedule[step - 14] ^ schedule[step - 16]
            schedule[step] = mixed.rotated(by: 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for step in 0..<80 {
            let mixed: UInt32
            switch step / 20 {
            case 0: mixed = ((b & c) | (~b & d)) &+ 0x5A82_7999
            case 1: mixed = (b ^ c ^ d) &+ 0x6ED9_EBA1
            case 2: mixed = ((b & c) | (b & d) | (c & d)) &+ 0x8F1B_BCDC
            default: mixed = (b ^ c ^ d) &+ 0xCA62_C1D6
            }
            let next = a.rotated(by: 5) &+ mixed &+ e &+ schedule[step]
            (a, b, c, d, e) = (next, a, b.rotated(by: 30), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }
}
