@Suite struct EditPathTests {
    @Test(arguments: [
        "flags.checkout.rules.checkout_ab.traffic", "a", "rules[0]", "[0][12].a", "flags.\"a.b\".else", "\"\"",
        "a.\"x\\\"y\\\\z\"", "a.\"[0]\"", "é.ü", "a b.c-d",
    ])
    func pathsAreWrittenAsTheyAreRead(text: String) throws {
        #expect(try EditPath(text).description == text)
    }

    @Test func stepsAreKeysAndPositions() throws {
        #expect(throws: Diagnostic.self) { try EditPath("a" + String(repeating: ".a", count: 512)) }
        #expect(try EditPath("a.\"b.c\"[2].d.[3]").steps == [.key("a"), .key("b.c"), .index(2), .key("d"), .index(3)])
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[1", "a[1]b", "\"a", "\"a\"b", "a[99999999999999999999]",
        "\"\\",
    ])
    func invalidPathsAreExplained(text: String) {
        #expect {
            try EditPath(text)
        } throws: { error in
            (error as? Diagnostic)?.message.hasPrefix("\"\(text)\" is not the path of a value: ") == true
        }
    }
}
