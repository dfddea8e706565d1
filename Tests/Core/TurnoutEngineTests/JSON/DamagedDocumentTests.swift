/// A damaged document is parsed or refused; it never crashes the reader.
@Suite struct DamagedDocumentTests {
    /// The example's datafile without white space, whose truncation tests nothing.
    private static let datafile = (try? ExampleShop.document().bytes) ?? []

    @Test func theUndamagedDocumentIsRead() throws {
        #expect(Self.datafile.count > 5_000)
        #expect(try JSONValue(parsing: Self.datafile) == ExampleShop.document())
    }

    /// The lists of the datafile, each a separate document: damage to every byte of the whole would take too long.
    private static let lists = ((try? ExampleShop.document().members) ?? [:]).filter { $0.value.elements != nil }
        .mapValues(\.bytes)

    @Test(arguments: lists.keys.sorted()) func truncatedDocumentsAreRefused(list: String) throws {
        let document = try #require(Self.lists[list])
        for count in stride(from: 0, to: document.count, by: isThorough ? 1 : 13) {
            let bytes = Array(document.prefix(count))
            #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
        }
    }

    @Test func truncatedDatafilesAreRefusedNearTheirEnd() throws {
        for count in stride(from: 0, to: Self.datafile.count, by: isThorough ? 11 : 101) {
            let bytes = Array(Self.datafile.prefix(count))
            let error = try #require(throws: DatafileError.self) { try Project(datafile: bytes) }
            guard case .invalid(let place) = error else {
                Issue.record("\(error)")
                continue
            }
            // Truncated text is valid up to its last token, and no token here is longer.
            #expect(place.column > count - 150, "\(count) bytes: \(place)")
        }
    }

    private static let values: [UInt8] = [0x00, 0x22, 0x2C, 0x5C, 0x5D, 0x7B, 0x80, 0xFF, 0x39, 0x65, 0x0A]

    @Test(arguments: lists.keys.sorted()) func flippedBytesNeverCrash(list: String) throws {
        let document = try #require(Self.lists[list])
        var bytes = document
        for index in stride(from: 0, to: bytes.count, by: isThorough ? 1 : 7) {
            bytes[index] = Self.values[index % Self.values.count]
            _ = try? JSONValue(parsing: bytes)
            bytes[index] = document[index]
        }
        #expect(bytes == document)
    }

    @Test func flippedBytesOfDatafilesNeverCrash() {
        var bytes = Self.datafile
        for index in stride(from: 0, to: bytes.count, by: isThorough ? 13 : 101) {
            bytes[index] = Self.values[index % Self.values.count]
            _ = try? Project(datafile: bytes)
            bytes[index] = Self.datafile[index]
        }
        #expect(bytes == Self.datafile)
    }

    @Test func allValuesOfAllBytesOfASmallDocumentNeverCrash() throws {
        var bytes = Array(#"{"é\u00e9":[-1.5e+3,true,null,{"":"\ud83d\ude42"}],}"#.utf8)
        for index in bytes.indices {
            let original = bytes[index]
            for value in UInt8.min...UInt8.max {
                bytes[index] = value
                if let document = try? JSONValue(parsing: bytes) {
                    #expect(try JSONValue(parsing: document.bytes) == document)
                }
            }
            bytes[index] = original
        }
    }

    // MARK: JSON limit

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func nestingIsReadTo512LevelsAndRefusedBeyond(open: String, close: String) throws {
        for (depth, isRead) in [(1, true), (511, true), (512, true), (513, false), (514, false)] {
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            #expect(((try? JSONValue(parsing: text)) != nil) == isRead, "\(depth) levels")
        }
        let tooDeep = String(repeating: open, count: 513)
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: tooDeep) }
        #expect(error.message.contains("nested too deeply"))
        #expect(error.column == 512 * open.utf8.count + 1)
        #expect(error.path.count == 512)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":", "[[],"])
    func deepNestingIsRefusedWithoutCrashing(bracket: String) {
        let text = String(repeating: bracket, count: 100_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(throws: DatafileError.self) { try Project(datafile: Array(text.utf8)) }
    }

    /// The limit applies to depth, not to the number of brackets.
    @Test func manySiblingArraysAreRead() throws {
        let text = "[" + String(repeating: "[],{},", count: 5_000) + "]"
        #expect(try JSONValue(parsing: text).elements?.count == 10_000)
    }

    @Test func depthLimitIsConfigurable() throws {
        var limits = JSONLimits()
        limits.depth = 2
        #expect(try JSONValue(parsing: "[[1]]", limits: limits) == .array([.array([.integer(1)])]))
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[[[1]]]", limits: limits) }
        limits.depth = 0
        #expect(try JSONValue(parsing: "1", limits: limits) == .integer(1))
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[]", limits: limits) }
    }

    @Test func sizeIsCheckedBeforeReading() throws {
        var limits = JSONLimits()
        limits.size = 5
        #expect(try JSONValue(parsing: "[1,2]", limits: limits).elements?.count == 2)
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: "??????", limits: limits) }
        #expect(error.message == "the text has 6 bytes, the limit is 5")
        #expect((error.line, error.column) == (1, 1))
        let refusal = try #require(throws: DatafileError.self) {
            try Project(datafile: ExampleShop.datafile, limits: limits)
        }
        #expect(refusal.description.contains("the limit is 5"))
    }

    @Test func theStandardLimitsAreThoseOfTheDocumentation() {
        #expect(JSONLimits.standard.depth == 512)
        #expect(JSONLimits.standard.size == 256 * 1_024 * 1_024)
    }
}
