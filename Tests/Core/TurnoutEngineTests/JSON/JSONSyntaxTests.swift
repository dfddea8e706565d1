import Foundation

/// The accepted JSON syntax, and the positions of errors.
@Suite struct JSONSyntaxTests {
    @Test(arguments: accepted) func validTextIsParsed(_ example: Accepted) throws {
        #expect(try JSONValue(parsing: example.text) == example.value)
        #expect(try JSONValue(parsing: [UInt8](example.text.utf8)) == example.value)
    }

    @Test func allExamplesAreRead() { #expect(refused.count == 68) }

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
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: #"{"a": [true, {"b": nope}]}"#) }
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
    Accepted(text: "null", value: .null), Accepted(text: "true", value: .bool(true)),
    Accepted(text: "false", value: .bool(false)), Accepted(text: "0", value: .integer(0)),
    Accepted(text: "\"\"", value: .string("")), Accepted(text: "[]", value: .array([])),
    Accepted(text: "{}", value: .object([:])),
    // White space, all four kinds, everywhere between tokens.
    Accepted(text: " \t\r\n1 \t\r\n", value: .integer(1)),
    Accepted(text: " [ \n1 ,\t2 \r] ", value: .array([.integer(1), .integer(2)])),
    Accepted(text: " { \"a\" \n:\t1 \r, \"b\" : 2 } ", value: .object(["a": .integer(1), "b": .integer(2)])),
    // A trailing comma is tolerated.
    Accepted(text: "[1,]", value: .array([.integer(1)])), Accepted(text: "[1 , ]", value: .array([.integer(1)])),
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

/// The text, the line and the column of the error, and a part of its message.
private let refused: [Refused] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/refused-json.json")
    let rows = (try? JSONSerialization.jsonObject(with: Data(contentsOf: file))) as? [[Any]] ?? []
    return rows.compactMap { row in
        guard let text = row[0] as? String, let line = row[1] as? Int, let column = row[2] as? Int,
            let message = row[3] as? String
        else { return nil }
        return Refused(text, line, column, message)
    }
}()
