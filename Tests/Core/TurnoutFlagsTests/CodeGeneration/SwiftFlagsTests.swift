import TurnoutCodeGeneration

/// The code that is generated for flags. That it compiles, `Scripts/prove compile-checks` shows.
@Suite struct SwiftFlagsTests {
    private static let checkout = FlagSchema.Flag(
        key: "checkout", description: "The new checkout.\n\nAsk the */ team.", variations: ["two_step", "none"],
        variables: [
            .init(key: "steps", description: "How many pages.", type: .integer, defaultText: "3"),
            .init(key: "title", type: .string, defaultText: "Say \"hi\" \\(name)\n"),
        ])

    private func code(_ flags: [FlagSchema.Flag], access: SwiftFlags.Access = .internal) -> String {
        SwiftFlags(FlagSchema(flags: flags), access: access).text
    }

    @Test func descriptionsBecomeDocumentation() {
        let code = code([Self.checkout])
        #expect(
            code.contains(
                """
                    /// Decides the flag `checkout`.
                    ///
                    /// The new checkout.
                    ///
                    /// Ask the */ team.
                    func checkout(

                """))
        #expect(code.contains("/// How many pages.\n        var steps: Int {"))
    }

    @Test func valuesFallBackToTheDefaultsOfTheDatafile() {
        let code = code([Self.checkout])
        #expect(code.contains(#"decision.variables.integer("steps") ?? 3"#))
        #expect(code.contains(#"decision.variables.string("title") ?? "Say \"hi\" \\(name)\n""#))
    }

    @Test(arguments: [
        (Variable.ValueType.boolean, "true", "Bool", "true"), (.integer, "-7", "Int", "-7"),
        (.double, "1e300", "Double", "1e+300"), (.double, "5e-324", "Double", "Double(bitPattern: 1)"),
        (.string, "", "String", "\"\""), (.other, "x", "String", "\"x\""),
        (.json, #"{"a":[1]}"#, "[String: TurnoutClient.JSONValue]", #"Flags.jsonObject("{\"a\":[1]}")"#),
    ])
    func eachTypeOfVariableHasASwiftType(type: Variable.ValueType, text: String, swift: String, fallback: String) {
        let flag = FlagSchema.Flag(key: "f", variables: [.init(key: "v", type: type, defaultText: text)])
        let code = code([flag])
        #expect(code.contains("var v: \(swift) {"))
        #expect(code.contains("(\"v\") ?? \(fallback)\n"))
    }

    @Test(arguments: [(Variable.ValueType.integer, "many"), (.double, "nan"), (.boolean, "yes"), (.json, "[]")])
    func aVariableWithoutAUsableDefaultIsOptional(type: Variable.ValueType, text: String) {
        let flag = FlagSchema.Flag(key: "f", variables: [.init(key: "v", type: type, defaultText: text)])
        #expect(code([flag]).contains("? {\n            decision.variables."))
    }

    @Test func theAccessLevelIsThatOfEveryDeclaration() {
        #expect(!code([Self.checkout]).contains("public"))
        let code = code([Self.checkout], access: .public)
        #expect(code.contains("\npublic import TurnoutClient\n"))
        for line in code.split(separator: "\n").map({ String($0).trimmingBlanks }) {
            for word in ["func ", "struct ", "enum ", "var ", "let ", "static ", "init("] {
                #expect(!line.hasPrefix(word), "\(line)")
            }
        }
    }

    @Test func theOrderOfFlagsDoesNotMatter() {
        let flags = [Self.checkout, .init(key: "a"), .init(key: "b", variations: ["off", "on"])]
        #expect(code(flags) == code(flags.reversed()))
        #expect(code([.init(key: "b", variations: ["on", "off", "on"])]) == code([flags[2]]))
    }

    @Test func theLastOfEqualKeysIsKept() {
        let code = code([.init(key: "a", description: "first"), .init(key: "a", description: "last")])
        #expect(code.contains("last") && !code.contains("first"))
    }

    @Test func invisibleCharactersAreEscaped() {
        let code = code([.init(key: "a\u{202E}b", description: "x\u{0}y\u{2028}z")])
        #expect(code.contains(#"static let key = "a\u{202E}b""#))
        #expect(code.contains("/// x y\n    /// z\n"))
        #expect(!code.unicodeScalars.contains { $0.properties.generalCategory == .format || $0.value == 0 })
    }
}
