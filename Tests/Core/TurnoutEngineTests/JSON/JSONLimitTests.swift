@Suite struct JSONLimitTests {
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
