@Suite struct JSONWriterTests {
    private func written(
        _ style: JSONWriter.Style = JSONWriter.Style(), _ write: (inout JSONWriter) -> Void
    ) -> String {
        var writer = JSONWriter(style: style)
        write(&writer)
        return writer.text
    }

    @Test func commasStandBetweenElementsOnly() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.integer(1)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.endArray()
        writer.key("b")
        writer.null()
        writer.endObject()
        #expect(writer.text == #"{"a":[1,{},[]],"b":null}"#)
        #expect(writer.bytes == Array(writer.text.utf8))
    }

    @Test func newlinesSeparateDocuments() {
        var writer = JSONWriter()
        for number in 1...3 {
            writer.integer(Int64(number))
            writer.newline()
        }
        #expect(writer.text == "1\n2\n3\n")
        writer.removeAll()
        writer.bool(true)
        #expect(writer.text == "true")
    }

    @Test(arguments: [
        ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
        ("\0", #""\u0000""#),
        ("\u{B}", #""\u000b""#), ("\u{1F}", #""\u001f""#), ("\u{7F}", "\"\u{7F}\""), ("é日🙂", "\"é日🙂\""),
        ("\u{2028}", "\"\u{2028}\""), ("", "\"\""), ("a\"é\n", #""a\"é\n""#),
    ])
    func stringsAreEscapedWhereTheyMustBe(text: String, json: String) {
        #expect(written { $0.string(text) } == json)
    }

    @Test func slashesAreEscapedOnRequest() {
        var style = JSONWriter.Style()
        style.escapesSlash = true
        #expect(written(style) { $0.string("a/b") } == #""a\/b""#)
    }

    @Test func nilStringIsWrittenAsNull() {
        #expect(written { $0.string(nil) } == "null")
    }

    @Test(arguments: [
        (0, "0"), (-1, "-1"), (9, "9"), (10, "10"), (Int64.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    ])
    func integersAreWrittenInFull(value: Int64, json: String) {
        #expect(written { $0.integer(value) } == json)
    }

    @Test(
        arguments: [
            (1, "1.0", "1"), (-0.0, "-0.0", "-0"), (0.1, "0.1", "0.1"), (1.5, "1.5", "1.5"), (100, "100.0", "100"),
            (1e16, "1e+16", "1e+16"), (1e-7, "1e-07", "1e-07"), (0x1p53, "9007199254740992.0", "9007199254740992"),
            (.nan, "null", "null"), (.infinity, "null", "null"), (-.infinity, "null", "null"),
            (.leastNonzeroMagnitude, "5e-324", "5e-324"),
        ] as [(Double, String, String)])
    func doublesKeepTheirFractionWhenAskedFor(value: Double, kept: String, dropped: String) {
        #expect(written { $0.double(value) } == kept)
        var style = JSONWriter.Style()
        style.keepsFraction = false
        #expect(written(style) { $0.double(value) } == dropped)
    }

    @Test func keysOfValuesAreSorted() throws {
        let value = try JSONValue(parsing: #"{"b":1,"a":{"z":[],"y":0.5},"é":2,"B":3,"":4}"#)
        #expect(value.json == #"{"":4,"B":3,"a":{"y":0.5,"z":[]},"b":1,"é":2}"#)
    }

    /// Foundation's `sortedKeys` uses the order of Swift strings, not of UTF-16 units.
    @Test func keysAreSortedAsSwiftSortsStrings() {
        let value = JSONValue.object(["\u{E000}": .integer(1), "\u{10000}": .integer(2)])
        #expect(value.json == "{\"\u{E000}\":1,\"\u{10000}\":2}")
    }

    @Test func randomValuesRoundTrip() throws {
        var random = RepeatableRandom(stream: 103)
        for _ in 0..<1_000 {
            let value = Self.value(depth: 4, using: &random)
            let bytes = value.bytes
            let read = try JSONValue(parsing: bytes)
            #expect(read == value, "seed \(RepeatableRandom.seed)")
            #expect(read.bytes == bytes, "seed \(RepeatableRandom.seed)")
        }
    }

    private static func value(depth: Int, using random: inout RepeatableRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 7), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .integer(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<63, using: &random))
        case 3: .double(double(using: &random))
        case 4: .string(text(using: &random))
        case 5: .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth - 1, using: &random) })
        default:
            .object(
                (0..<Int.random(in: 0..<5, using: &random)).reduce(into: [:]) { members, _ in
                    members[text(using: &random)] = value(depth: depth - 1, using: &random)
                })
        }
    }

    private static func double(using random: inout RepeatableRandom) -> Double {
        let value = Double(bitPattern: random.next())
        return value.isFinite ? value : Double(Int.random(in: -1_000...1_000, using: &random))
    }

    private static func text(using random: inout RepeatableRandom) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\n", "\0", "\u{1F}", "\u{7F}", "é", "日", "🙂", "\u{301}",
        ]
        let count = Int.random(in: 0..<20, using: &random)
        return String(String.UnicodeScalarView((0..<count).map { _ in random.pick(scalars) }))
    }
}
