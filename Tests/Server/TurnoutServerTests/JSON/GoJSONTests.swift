import Testing
import TurnoutEngine
import TurnoutServer

@Suite("JSON as Go writes it")
struct GoJSONTests {
    /// The expected texts were printed by Go's encoder.
    @Test(arguments: [
        (1.0, "1"), (-0.5, "-0.5"), (5.6, "5.6"), (1e15, "1000000000000000"), (1e16, "10000000000000000"),
        (1.25e20, "125000000000000000000"), (1e21, "1e+21"), (1.5e300, "1.5e+300"), (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"), (1e-7, "1e-7"), (-2.5e-9, "-2.5e-9"), (123_456.789, "123456.789"),
        (9_007_199_254_740_993.0, "9007199254740992"), (12_345_678_901_234_567_890.0, "12345678901234567000"),
    ])
    func numbers(value: Double, text: String) {
        var writer = JSONWriter.go()
        writer.goNumber(value)
        #expect(writer.text == text)
    }

    @Test func membersAreSortedAndTextsEscaped() throws {
        var writer = JSONWriter.go()
        writer.goValue(try JSONValue(parsing: #"{"b": [1.0, null, {"z": true, "a": "<&>"}], "a": "\u00fc\n"}"#))
        let text = String(decoding: writer.goDocument, as: UTF8.self)
        #expect(text == #"{"a":"ü\n","b":[1,null,{"a":"\u003c\u0026\u003e","z":true}]}"# + "\n")
    }

    @Test(arguments: [
        ("NaN", nil), (" -Infinity]", nil), ("x[NaN]", nil), ("[1, -1, \"N\"]", nil),
        ("\u{FEFF} [NaN,-Infinity", "\u{FEFF} [null,null"),
        (#"{"NaN": "a\ud83dNaN", "é": -Infinity}"#, "{\"NaN\": \"a\u{FFFD}NaN\", \"é\": null}"),
    ])
    func onlyObjectsAndListsAreRepaired(text: String, repaired: String?) {
        #expect(Array(text.utf8).repairedJSON.map { String(decoding: $0, as: UTF8.self) } == repaired)
    }
}
