import Testing
import TurnoutEngine

/// The accepted JSON syntax, and the positions of errors.
@Suite struct JSONSyntaxTests {
    @Test(arguments: accepted) func validTextIsParsed(_ example: Accepted) throws {
        #expect(try JSONValue(parsing: example.text) == example.value)
        #expect(try JSONValue(parsing: [UInt8](example.text.utf8)) == example.value)
    }

    @Test(arguments: refused) func invalidTextIsRefusedWithItsPosition(_ example: Refused) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: example.text) }
        #expect(error.line == example.line)
        #expect(error.column == example.column)
        #expect(error.message.contains(example.message), "\(error.message)")
        #expect(throws: error) { try JSONValue(parsing: [UInt8](example.text.utf8)) }
    }

    @Test func byteOrderMarkIsSkippedOnlyAtTheStart() throws {
        #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) == .array([.integer(1)]))
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0xEF, 0xBB, 0xBF]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0xEF, 0xBB, 0x31]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: "\u{FEFF}\u{FEFF}1") }
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[\u{FEFF}1]") }
        #expect(throws: JSONError.self) { try JSONValue(parsing: "1\u{FEFF}") }
        #expect(try JSONValue(parsing: "\"\u{FEFF}\"") == .string("\u{FEFF}"))
    }

    @Test func firstOfTwoEqualKeysWins() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#)["a"] == .integer(1))
        #expect(try JSONValue(parsing: #"{"a":null,"a":3}"#)["a"] == .null)
        #expect(try JSONValue(parsing: #"{"a":1,"\u0061":3}"#)["a"] == .integer(1))
        // The two spellings of é are the same key.
        #expect(try JSONValue(parsing: #"{"\u00e9":1,"e\u0301":3}"#)["e\u{301}"] == .integer(1))
    }

    @Test func droppedDuplicatesAreValidatedToo() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"a":1,"a":tru}"#) }
    }

    @Test func errorsContainTheirPath() throws {
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: #"{"a": [true, {"b": nope}]}"#)
        }
        #expect(error.path == [.key("a"), .index(1), .key("b")])
        #expect(error.pathText == "$.a[1].b")
        #expect(error.description.hasPrefix("$.a[1].b: "))
        #expect(error.description.hasSuffix("(line 1, column 20)"))
    }

    @Test func errorsOfTheWholeTextHaveNoPath() throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: "nope") }
        #expect(error.pathText == "$")
        #expect(error.description == "\(error.message) (line 1, column 1)")
    }
}

// MARK: Tables

struct Accepted: Sendable, CustomTestStringConvertible {
    let text: String
    let value: JSONValue
    var testDescription: String { text }
}

struct Refused: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int
    let message: String
    var testDescription: String { text }

    init(_ text: String, _ line: Int, _ column: Int, _ message: String) {
        (self.text, self.line, self.column, self.message) = (text, line, column, message)
    }
}

private let accepted: [Accepted] = [
    // Scalars are documents since RFC 7159.
    Accepted(text: "null", value: .null),
    Accepted(text: "true", value: .bool(true)),
    Accepted(text: "false", value: .bool(false)),
    Accepted(text: "0", value: .integer(0)),
    Accepted(text: "\"\"", value: .string("")),
    Accepted(text: "[]", value: .array([])),
    Accepted(text: "{}", value: .object([:])),
    // White space, all four kinds, everywhere between tokens.
    Accepted(text: " \t\r\n1 \t\r\n", value: .integer(1)),
    Accepted(text: " [ \n1 ,\t2 \r] ", value: .array([.integer(1), .integer(2)])),
    Accepted(text: " { \"a\" \n:\t1 \r, \"b\" : 2 } ", value: .object(["a": .integer(1), "b": .integer(2)])),
    // A trailing comma is tolerated.
    Accepted(text: "[1,]", value: .array([.integer(1)])),
    Accepted(text: "[1 , ]", value: .array([.integer(1)])),
    Accepted(text: "{\"a\":1,}", value: .object(["a": .integer(1)])),
    Accepted(text: "{\"a\":[{},],\n}", value: .object(["a": .array([.object([:])])])),
    // Structure.
    Accepted(text: "[[],[[]],{}]", value: .array([.array([]), .array([.array([])]), .object([:])])),
    Accepted(text: "{\"\":0}", value: .object(["": .integer(0)])),
    Accepted(text: "{\"a\":{\"a\":{\"a\":null}}}", value: .object(["a": .object(["a": .object(["a": .null])])])),
    Accepted(text: "[null,true,false]", value: .array([.null, .bool(true), .bool(false)])),
    // Characters that need no escape.
    Accepted(
        text: "\"\u{7F}\u{80}\u{2028}\u{2029}\u{FFFF}\u{10FFFF}\"",
        value: .string("\u{7F}\u{80}\u{2028}\u{2029}\u{FFFF}\u{10FFFF}")),
    Accepted(text: "\"/\"", value: .string("/")),
]

private let refused: [Refused] = [
    // Empty or incomplete.
    Refused("", 1, 1, "the text is empty"),
    Refused(" \n ", 2, 2, "end of the text"),
    Refused("[", 1, 2, "ends too early"),
    Refused("[1", 1, 3, "comma or the end of the array"),
    Refused("[1,", 1, 4, "ends too early"),
    Refused("{", 1, 2, "ends too early"),
    Refused("{\"a\"", 1, 5, "colon"),
    Refused("{\"a\":", 1, 6, "end of the text"),
    Refused("{\"a\":1", 1, 7, "comma or the end of the object"),
    Refused("{\"a\":1,", 1, 8, "ends too early"),
    Refused("\"", 1, 2, "does not end"),
    Refused("\"a", 1, 3, "does not end"),
    Refused("\"a\\", 1, 4, "does not end"),
    Refused("\"\\\"", 1, 4, "does not end"),
    // Trailing content.
    Refused("1 1", 1, 3, "end of the text"),
    Refused("[]]", 1, 3, "end of the text"),
    Refused("{}}", 1, 3, "end of the text"),
    Refused("null,", 1, 5, "end of the text"),
    Refused("truex", 1, 5, "end of the text"),
    Refused("\"a\"b", 1, 4, "end of the text"),
    // Commas.
    Refused("[,]", 1, 2, "expected a value"),
    Refused("[,1]", 1, 2, "expected a value"),
    Refused("[1,,]", 1, 4, "expected a value"),
    Refused("[1,,2]", 1, 4, "expected a value"),
    Refused("[1 2]", 1, 4, "comma"),
    Refused("{,}", 1, 2, "key"),
    Refused("{\"a\":1,,}", 1, 8, "key"),
    Refused("{\"a\":1 \"b\":2}", 1, 8, "comma"),
    // Mismatched brackets.
    Refused("[}", 1, 2, "expected a value"),
    Refused("{]", 1, 2, "key"),
    Refused("[1}", 1, 3, "comma"),
    Refused("{\"a\":1]", 1, 7, "comma"),
    Refused("]", 1, 1, "expected a value"),
    // Keys and colons.
    Refused("{a:1}", 1, 2, "key"),
    Refused("{'a':1}", 1, 2, "key"),
    Refused("{1:1}", 1, 2, "key"),
    Refused("{null:1}", 1, 2, "key"),
    Refused("{\"a\" 1}", 1, 6, "colon"),
    Refused("{\"a\",1}", 1, 5, "colon"),
    Refused("{\"a\"::1}", 1, 6, "expected a value"),
    Refused("{\"a\":}", 1, 6, "expected a value"),
    Refused("[\"a\":1]", 1, 5, "comma"),
    // Words.
    Refused("tru", 1, 1, "true"),
    Refused("TRUE", 1, 1, "expected a value"),
    Refused("fals", 1, 1, "false"),
    Refused("nul", 1, 1, "null"),
    Refused("nil", 1, 1, "null"),
    Refused("NaN", 1, 1, "expected a value"),
    Refused("Infinity", 1, 1, "expected a value"),
    Refused("-Infinity", 1, 2, "digit"),
    Refused("undefined", 1, 1, "expected a value"),
    Refused("'a'", 1, 1, "expected a value"),
    // Syntax of other formats.
    Refused("// no\n1", 1, 1, "expected a value"),
    Refused("[1, /* no */ 2]", 1, 5, "expected a value"),
    Refused("# no", 1, 1, "expected a value"),
    // Characters that are not white space in JSON.
    Refused("\u{0B}1", 1, 1, "expected a value"),
    Refused("\u{A0}1", 1, 1, "expected a value"),
    Refused("\u{2028}1", 1, 1, "expected a value"),
    Refused("\0", 1, 1, "expected a value"),
    Refused("1\0", 1, 2, "end of the text"),
    // Lines are counted from 1 and end with a line feed; columns count bytes.
    Refused("{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7, "colon"),
    Refused("[\r\n1,\r\n2 3]", 3, 3, "comma"),
    Refused("[\"é\" 1]", 1, 7, "comma"),
    Refused("\n\n\n?", 4, 1, "expected a value"),
    // Control characters in strings.
    Refused("\"a\nb\"", 1, 3, "control"),
    Refused("\"\t\"", 1, 2, "control"),
    Refused("[\n\"ab\u{1F}\"]", 2, 4, "control"),
    Refused("\"\0\"", 1, 2, "control"),
]
