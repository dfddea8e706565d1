@Suite struct JSONNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775806", Int64.max - 1), ("9007199254740993", 9_007_199_254_740_993), ("10", 10),
        ] as [(String, Int64)])
    func wholeNumbersOf64BitsAreExact(text: String, value: Int64) throws {
        #expect(try JSONValue(parsing: text) == .integer(value))
    }

    @Test(
        arguments: [
            ("9223372036854775808", 0x8000_0000_0000_0000), ("12345678901234567890", 12_345_678_901_234_567_890),
            ("18446744073709551615", UInt64.max),
        ] as [(String, UInt64)])
    func largerWholeNumbersBelow2To64AreExact(text: String, value: UInt64) throws {
        #expect(try JSONValue(parsing: text) == .unsigned(value))
        #expect(JSONValue.unsigned(value).json == text)
        #expect(AttributeValue(.unsigned(value)) == .double(Double(value)))
    }

    @Test(
        arguments: [
            ("-9223372036854775809", -0x1p63), ("18446744073709551616", 0x1p64), ("9223372036854775808.0", 0x1p63),
            ("184467440737095516160", 184_467_440_737_095_516_160),
            ("1.0", 1), ("1e0", 1), ("1E+2", 100), ("1e-2", 0.01), ("0.0", 0), ("0e5", 0), ("0.1", 0.1), ("-0.5", -0.5),
            ("1e22", 1e22), ("1e23", 1e23), ("9007199254740993.0", 0x1p53), ("1e00000000000000000005", 1e5),
            ("4.9e-324", .leastNonzeroMagnitude), ("2.4e-324", 0), ("1e-400", 0), ("1e-999999999999999999999", 0),
            ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
            ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown),
            ("0e999999999999999999999", 0), ("0.00000000000000000000000000000000000001e38", 1),
        ] as [(String, Double)])
    func otherNumbersAreTheNearestDouble(text: String, value: Double) throws {
        #expect(try JSONValue(parsing: text) == .double(value))
    }

    @Test func minusZeroKeepsItsSign() throws {
        for text in ["-0", "-0.0", "-0e7", "-1e-400"] {
            guard case .double(let value) = try JSONValue(parsing: text) else {
                Issue.record("\(text) is no double")
                continue
            }
            #expect(value == 0 && value.sign == .minus, "\(text)")
        }
    }

    @Test(arguments: [
        "1e400", "-1e400", "1e309", "1.7976931348623159e308", "1e99999999999999999999", "[1e400]",
        String(repeating: "9", count: 400),
    ])
    func numbersBeyondTheRangeOfDoubleAreRefused(text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.message.contains("range of a double"))
        #expect(error.column == (text.hasPrefix("[") ? 2 : 1))
    }

    @Test(arguments: [
        ("-", 2), ("+1", 1), ("01", 1), ("-01", 1), ("00", 1), (".5", 1), ("1.", 3), ("1.e5", 3), ("1e", 3),
        ("1e+", 4), ("1e-", 4), ("-.5", 2), ("--1", 2), ("1.5.5", 4), ("1e5.5", 4), ("1e5e5", 4), ("0x10", 2),
        ("1_000", 2), ("1,5", 2), ("1f", 2), ("- 1", 2), ("1e 5", 3), ("\u{661}", 1),
    ])
    func malformedNumbersAreRefused(text: String, column: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.line == 1)
        #expect(error.column == column, "\(error.message)")
    }

    /// Numerals of every shape, compared with the standard library's correctly rounding parser.
    @Test func randomNumeralsAreRoundedCorrectly() throws {
        var random = RepeatableRandom(stream: 101)
        for _ in 0..<rounds(1_000, thorough: 10_000) {
            let numeral = Self.numeral(using: &random)
            let expected = try #require(Double(numeral))
            switch try? JSONValue(parsing: numeral) {
            case .double(let value):
                #expect(value.bitPattern == expected.bitPattern, "\(numeral), seed \(RepeatableRandom.seed)")
            case .integer(let value): #expect(String(value) == numeral, "seed \(RepeatableRandom.seed)")
            case .unsigned(let value): #expect(String(value) == numeral, "seed \(RepeatableRandom.seed)")
            default: #expect(expected.isInfinite, "\(numeral), seed \(RepeatableRandom.seed)")
            }
        }
    }

    @Test func doublesHalfwayBetweenTwoAreRoundedToEven() throws {
        var random = RepeatableRandom(stream: 102)
        for _ in 0..<500 {
            // Between 2^53 and 2^54, every odd number is halfway between two doubles.
            let odd = UInt64.random(in: 1 << 52..<1 << 53, using: &random) * 2 + 1
            let numeral = "\(odd).0"
            let expected = try #require(Double(numeral))
            #expect(try JSONValue(parsing: numeral) == .double(expected))
            let above = "\(odd).00000000000000000000000000000000000000000000000001"
            #expect(try JSONValue(parsing: above) == .double(Double(odd + 1)), "\(above)")
        }
    }

    /// A large exponent does not imply overflow: as many digits may cancel it.
    @Test func longDigitsAndLargeExponentsCancelOut() throws {
        for zeros in [30, 400, 5_000, 120_000] {
            let fraction = "0." + String(repeating: "0", count: zeros) + "1e\(zeros + 1)"
            #expect(try JSONValue(parsing: fraction) == .double(1), "\(zeros) zeros")
            let whole = "1" + String(repeating: "0", count: zeros) + "e-\(zeros)"
            #expect(try JSONValue(parsing: whole) == .double(1), "\(zeros) zeros")
        }
    }

    /// Exponents of seven digits, which are useful only in texts of a megabyte.
    @Test func exponentsOfAnyLengthAreExact() throws {
        let fraction = "0." + String(repeating: "0", count: 1_234_566) + "1e1234567"
        #expect(try JSONValue(parsing: fraction) == .double(1))
        let tiny = "1" + String(repeating: "0", count: 123_456) + "e-1234567"
        #expect(try JSONValue(parsing: tiny) == .double(0))
    }

    private static func numeral(using random: inout RepeatableRandom) -> String {
        var text = Bool.random(using: &random) ? "-" : ""
        let digits = random.pick([1, 2, 5, 15, 16, 17, 18, 19, 20, 21, 40, 800])
        text += random.oneIn(4) ? "0" : Self.digits(digits, using: &random)
        if Bool.random(using: &random) {
            let zeros = random.oneIn(3) ? String(repeating: "0", count: Int.random(in: 0..<30, using: &random)) : ""
            text += "." + zeros + Self.digits(random.pick([1, 3, 17, 30]), using: &random)
        }
        if Bool.random(using: &random) {
            let range = random.pick([-25...25, -330 ... -290, 280...310, -5...5])
            text += random.pick(["e", "E"])
            let exponent = Int.random(in: range, using: &random)
            text += (exponent >= 0 && Bool.random(using: &random) ? "+" : "") + "\(exponent)"
        }
        return text
    }

    private static func digits(_ count: Int, using random: inout RepeatableRandom) -> String {
        (0..<count).reduce(into: "") { text, place in
            text += String(Int.random(in: (place == 0 ? 1 : 0)...9, using: &random))
        }
    }
}
