/// Well-formed UTF-8 is defined by table 3-7 of the Unicode standard; anything else is refused at its first byte.
@Suite struct UTF8Tests {
    @Test(
        arguments: [
            // A continuation byte alone.
            [0x80], [0xBF], [0x61, 0x80],
            // Bytes that are never used: overlong two-byte forms and leads beyond U+10FFFF.
            [0xC0, 0x80], [0xC1, 0xBF], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            // Second byte missing or out of range.
            [0xC2], [0xC2, 0x41], [0xC2, 0xC2, 0x80], [0xDF, 0x7F], [0xDF, 0xC0],
            // Overlong three-byte forms, surrogates, missing thirds.
            [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE1, 0x80],
            [0xE1, 0x80, 0x41], [0xEF, 0xBF], [0xEF, 0xC0, 0x80], [0xE2, 0x82, 0xC0],
            // Overlong four-byte forms, beyond U+10FFFF, missing fourths.
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF1, 0x80, 0x80],
            [0xF1, 0x80, 0x80, 0x41], [0xF3, 0x80, 0x41, 0x80], [0xF0, 0x90], [0xF4, 0x8F, 0xBF, 0xC0],
        ] as [[UInt8]])
    func malformedSequencesAreRefusedAtTheirFirstByte(bytes: [UInt8]) throws {
        let offset = bytes[0] < 0x80 ? 1 : 0
        for length in 0...17 {
            let prefix = Array(String(repeating: "a", count: length).utf8)
            for suffix in ["", "b", "bbbbbbbbb", "é"] {
                let text = [0x0A, 0x22] + prefix + bytes + Array(suffix.utf8) + [0x22]
                let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
                #expect(error.message.contains("UTF-8"))
                #expect(error.line == 2)
                #expect(error.column == 2 + length + offset)
            }
        }
    }

    @Test(
        arguments: [[0xC2], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF]] as [[UInt8]])
    func malformedSequencesAreRefusedBesideEscapesToo(bytes: [UInt8]) {
        for text in [Array(#"\n"#.utf8) + bytes, bytes + Array(#"\n"#.utf8), Array(#"\u00e9"#.utf8) + bytes] {
            #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + text + [0x22]) }
        }
    }

    /// An escape must not complete a sequence begun by the bytes before it.
    @Test func escapesDoNotCompleteSequences() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xC3] + Array(#"\u00a9""#.utf8)) }
        #expect(throws: JSONError.self) {
            try JSONValue(parsing: [0x22, 0xF0, 0x9F] + Array(#"\n"#.utf8) + [0x99, 0x82, 0x22])
        }
    }

    @Test func malformedSequencesAreRefusedInKeys() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) }
    }

    @Test(
        arguments: [
            0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000,
            0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
        ] as [UInt32])
    func everyRowOfTheTableIsAcceptedAtItsEnds(code: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(code))
        for length in 0...9 {
            let text = String(repeating: "a", count: length) + String(scalar)
            #expect(try JSONValue(parsing: "\"\(text)\"").text == text)
        }
    }

    /// Every sequence of two bytes, compared with the standard library; in a short run, with every fifth first byte.
    @Test func validationOfAllBytePairsMatchesTheStandardLibrary() {
        for first in stride(from: 0x80 as UInt8, through: 0xFF, by: rounds(5, thorough: 1)) {
            for second in UInt8(0x20)...0xFF where second != 0x22 && second != 0x5C {
                let isValid = String(validating: [first, second], as: UTF8.self) != nil
                let isRead = (try? JSONValue(parsing: [0x22, first, second, 0x22])) != nil
                if isRead != isValid { Issue.record("\(first) \(second)") }
            }
        }
    }
}
