@Suite struct JSONStringTests {
    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041""#, "A"), (#""\u00e9\u00E9""#, "éé"),
        (#""\u0000""#, "\0"), (#""\u001f""#, "\u{1F}"), (#""\u007f\u0080""#, "\u{7F}\u{80}"),
        (#""\u07ff\u0800""#, "\u{7FF}\u{800}"), (#""\ud7ff\ue000\uffff""#, "\u{D7FF}\u{E000}\u{FFFF}"),
        (#""\ud83d\ude42""#, "🙂"), (#""\uD800\uDC00""#, "\u{10000}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
        (#""a\u0062c""#, "abc"), (#""é\n日""#, "é\n日"), (#""\\u0041""#, #"\u0041"#), (#""\\\\""#, #"\\"#),
        (#""e\u0301""#, "e\u{301}"), (#""\uFEFF""#, "\u{FEFF}"),
    ])
    func escapesStandForTheirCharacters(json: String, text: String) throws {
        let value = try JSONValue(parsing: json)
        #expect(value == .string(text))
        #expect(value.text.map { Array($0.utf8) } == Array(text.utf8))
        #expect(try JSONValue(parsing: "{\(json):1}").members?.keys.first.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [
        (#""\a""#, 3), (#""\'""#, 3), (#""\0""#, 3), (#""\x41""#, 3), (#""\U0041""#, 3), (#""\ ""#, 3),
        ("\"\\\u{8}\"", 3), (#""\é""#, 3),
        // Four hexadecimal digits, in ASCII.
        (#""\u004""#, 7), (#""\u004g""#, 7), (#""\u00 4""#, 6), (#""\u+041""#, 4), (#""\u-041""#, 4),
        (#""\u{41}""#, 4), ("\"\\u00\u{FF14}1\"", 6),
    ])
    func unknownEscapesAreRefused(json: String, column: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: json) }
        #expect(error.line == 1)
        #expect(error.column == column, "\(error.message)")
    }

    @Test(arguments: [
        (#""\ud83d""#, 2), (#""\ude42""#, 2), (#""\ud83d\ud83d""#, 2), (#""\ude42\ud83d""#, 2), (#""\ud83dx""#, 2),
        (#""\ud83d\n""#, 2), (#""\ud83d\u0041""#, 2), (#""ab\udfff""#, 4), (#""\ud83d ude42""#, 2),
        (#""\ud83d\ude42\ud83d""#, 14), (#""\ud83d\\ude42""#, 2),
    ])
    func halvesOfSurrogatePairsAreRefused(json: String, column: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: json) }
        #expect(error.message.contains("surrogate"))
        #expect(error.column == column)
    }

    @Test func everyControlCharacterMustBeEscaped() throws {
        for code in UInt8(0)..<0x20 {
            for length in 0...9 {
                let prefix = Array(String(repeating: "a", count: length).utf8)
                let error = try #require(throws: JSONError.self) {
                    try JSONValue(parsing: [0x22] + prefix + [code, 0x22])
                }
                #expect(error.column == length + 2, "character \(code) behind \(length) others")
            }
        }
    }

    /// The reader scans eight bytes at a time; results must not depend on positions within the eight.
    @Test(arguments: 0...40) func stringsOfEveryLengthAreRead(length: Int) throws {
        let specials = [
            ("a", "a"), ("é", "é"), ("日", "日"), ("🙂", "🙂"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\n"#, "\n"),
            (#"\u00e9"#, "é"), (#"\ud83d\ude42"#, "🙂"), ("\u{7F}", "\u{7F}"), (" ", " "), ("!", "!"), ("#", "#"),
        ]
        for (json, meaning) in specials {
            for offset in 0...length {
                let before = String(repeating: "x", count: offset)
                let after = String(repeating: "y", count: length - offset)
                let text = before + meaning + after
                #expect(try JSONValue(parsing: "\"\(before)\(json)\(after)\"") == .string(text), "\(json) at \(offset)")
            }
        }
    }

    @Test(arguments: 0...40) func twoSpecialCharactersInAStringAreBothFound(length: Int) throws {
        for first in 0...length {
            let parts = [first, length - first].map { String(repeating: "z", count: $0) }
            let json = #"["\#(parts[0])\"\#(parts[1])é","\#(parts[1])\\",1]"#
            let expected = [parts[0] + "\"" + parts[1] + "é", parts[1] + "\\"]
            #expect(try JSONValue(parsing: json) == .array(expected.map { .string($0) } + [.integer(1)]), "\(json)")
        }
    }

    @Test(arguments: 0...40) func unterminatedStringsAreRefusedAtTheirEnd(length: Int) throws {
        let text = "\"" + String(repeating: "x", count: length)
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.column == length + 2)
    }

    @Test func longStringsWithManyEscapesAreRead() throws {
        let count = 10_000
        let json =
            "[" + String(repeating: #""\té\\ud83d\u0021","#, count: 3)
            + #""\#(String(repeating: #"\""#, count: count))"]"#
        let once = JSONValue.string("\té\\ud83d!")
        let quotes = JSONValue.string(String(repeating: "\"", count: count))
        #expect(try JSONValue(parsing: json) == .array([once, once, once, quotes]))
    }
}
