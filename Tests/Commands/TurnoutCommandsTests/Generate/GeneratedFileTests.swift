import TurnoutCodeGeneration

/// The comparison of `turnout generate swift --check`.
@Suite struct GeneratedFileTests {
    private func code(_ flags: [FlagSchema.Flag]) -> String {
        SwiftFlags(FlagSchema(flags: flags), access: .internal).text
    }

    @Test func theDifferenceNamesTheFlags() {
        let old = code([.init(key: "a"), .init(key: "b"), .init(key: "c")])
        let new = code([.init(key: "a"), .init(key: "b", variations: ["on"]), .init(key: "d\nd")])
        #expect(GeneratedFile.difference(between: old, and: new) == #"b changed, c was removed, d\nd was added"#)
        #expect(GeneratedFile.difference(between: old, and: old) == nil)
        let many = code((10..<35).map { .init(key: "f\($0)") })
        #expect(GeneratedFile.difference(between: many, and: code([]))?.hasSuffix("f29 was removed, 5 more") == true)
        #expect(GeneratedFile.difference(between: "x" + old, and: old) == "the code outside of the flags changed")
    }
}
