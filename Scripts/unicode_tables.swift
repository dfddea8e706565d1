// Writes Sources/Core/TurnoutEngine/Text/CanonicalData.swift; see Scripts/unicode-tables.
//
// Properties come from Swift's own Unicode data. Decompositions come from Foundation, whose data may be older than
// Swift's; the list below adds the newer ones. Each is verified against Swift's `==`.
import Foundation

let newer: [UInt32: [UInt32]] = [
    0x105C9: [0x105D2, 0x307], 0x105E4: [0x105DA, 0x307], 0x11383: [0x11382, 0x113C9], 0x11385: [0x11384, 0x113BB],
    0x1138E: [0x1138B, 0x113C2], 0x11391: [0x11390, 0x113C9], 0x113C5: [0x113C2, 0x113C2],
    0x113C7: [0x113C2, 0x113B8], 0x113C8: [0x113C2, 0x113C9], 0x16121: [0x1611E, 0x1611E],
    0x16122: [0x1611E, 0x16129], 0x16123: [0x1611E, 0x1611F], 0x16124: [0x16129, 0x1611F],
    0x16125: [0x1611E, 0x16120], 0x16126: [0x1611E, 0x1611E, 0x1611F], 0x16127: [0x1611E, 0x16129, 0x1611F],
    0x16128: [0x1611E, 0x1611E, 0x16120], 0x16D68: [0x16D67, 0x16D67], 0x16D69: [0x16D63, 0x16D67],
    0x16D6A: [0x16D63, 0x16D67, 0x16D67],
]

/// Base-64 digits, starting at "0".
func digits(_ number: Int, _ count: Int) -> String {
    precondition(number < 1 << (6 * count))
    return String((0..<count).reversed().map { Character(Unicode.Scalar(UInt8(0x30 + number >> ($0 * 6) & 63))) })
}

func lines(_ text: String) -> String {
    var rest = Substring(text)
    var lines: [String] = []
    while !rest.isEmpty {
        lines.append("        " + rest.prefix(108))
        rest = rest.dropFirst(108)
    }
    return lines.joined(separator: "\\#\n")
}

let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)

var decompositions: [(key: UInt32, parts: [UInt32])] = []
for scalar in scalars where !(0xAC00...0xD7A3).contains(scalar.value) {
    let text = String(scalar)
    let parts = newer[scalar.value] ?? text.decomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
    guard parts != [scalar.value] else { continue }
    let whole = String(String.UnicodeScalarView(parts.compactMap(Unicode.Scalar.init)))
    precondition(whole == text, "Swift has another decomposition of \(String(scalar.value, radix: 16))")
    decompositions.append((scalar.value, parts))
}

func properties(_ scalar: Unicode.Scalar) -> Int {
    let properties = scalar.properties
    var bits = Int(properties.canonicalCombiningClass.rawValue)
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: bits |= 1 << 8
    default: break
    }
    if properties.isGraphemeExtend { bits |= 1 << 9 }
    return bits | clusterBits(scalar)
}

/// The scalar's role in the grapheme cluster rules that look further than one scalar, tested with Swift's strings.
func clusterBits(_ scalar: Unicode.Scalar) -> Int {
    let text = String(scalar)
    func isOne(_ parts: String...) -> Bool { parts.joined().count == 1 }
    if scalar.properties.isGraphemeExtend || scalar == "\u{200D}" {
        guard isOne("\u{915}", text) else { return 0 }
        if isOne("\u{915}", text, "\u{915}") { return 1 << 13 }
        return isOne("\u{915}\u{94D}", text, "\u{915}") ? 0 : 1 << 14
    }
    if isOne("a", text) { return 1 << 10 }
    var bits = 0
    if isOne("\u{1F469}\u{200D}", text) { bits |= 1 << 11 }
    if isOne("\u{915}\u{94D}", text) { bits |= 1 << 12 }
    return bits
}

var runs: [(start: Int, count: Int, bits: Int)] = []
for scalar in scalars {
    let (value, bits) = (Int(scalar.value), properties(scalar))
    guard bits != 0 else { continue }
    if let last = runs.last, last.bits == bits, last.start + last.count == value, last.count < 4095 {
        runs[runs.count - 1].count += 1
    } else {
        runs.append((value, 1, bits))
    }
}

let propertyText = runs.map { digits($0.start, 4) + digits($0.count, 2) + digits($0.bits, 3) }.joined()
let decompositionText = decompositions.map { entry in
    digits(Int(entry.key), 4) + digits(entry.parts.count, 1) + entry.parts.map { digits(Int($0), 4) }.joined()
}.joined()

print(
    """
    // Written by Scripts/unicode-tables. Do not edit.
    //
    // Numbers to base 64, most significant digit first; the digits are the ASCII characters from "0" to "o".

    enum CanonicalData {
        /// Runs of scalars with equal properties: the first scalar (4 digits), the number of scalars (2), the bits (3):
        /// the canonical combining class and the flags of ``CanonicalTables/Entry``.
        static let properties: StaticString = #\"\"\"
    \(lines(propertyText))
            \"\"\"#

        /// Canonical decompositions without Hangul syllables: the scalar (4 digits), the number of scalars that it
        /// decomposes into (1), and these (4 each). Sorted by scalar; decompositions are complete.
        static let decompositions: StaticString = #\"\"\"
    \(lines(decompositionText))
            \"\"\"#
    }
    """)
