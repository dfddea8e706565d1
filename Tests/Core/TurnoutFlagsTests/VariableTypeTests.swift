/// Programs that read another type than a variable has get their own default.
@Suite("The lock keeps the types of variables")
struct VariableTypeTests {
    private func project(_ variables: String) -> ProjectText {
        ProjectText(members: #""flags": {"f": {"variables": {\#(variables)}, "else": "off"}}"#)
    }

    @Test(arguments: [
        (#""steps": 3"#, #""steps": "hello""#, "integer, and is string now", "programs that read it as integer"),
        (#""price": 0.5"#, #""price": 3"#, "double, and is integer now", "write 3.0 to keep the type"),
        (#""title": "a""#, #""title": true"#, "string, and is boolean now", #"write "true" to keep the type"#),
        (#""view": {"a": 1}"#, #""view": "{\"a\":1}""#, "json, and is string now", "another variable"),
        (#""a": 1"#, #""b": {"default": "x", "was": "a"}"#, "integer, and is string now", "another variable"),
        (
            #""a": "x""#, #""a": {"type": "string", "default": "x", "datafile": {"type": "color"}}"#,
            "string, and is color now", "another variable"
        ),
    ])
    func anotherTypeIsAnErrorWithWhatFollows(before: String, after: String, what: String, advice: String) throws {
        let lock = try project(before).lock()
        let errors = project(after).errors(lock)
        #expect(errors.count == 1 && errors.allSatisfy { $0.contains("f:2:") && $0.contains("[variable-type]") })
        #expect(errors.joined().contains(what) && errors.joined().contains(advice), "\(errors)")
        let lint = ProjectLint(try project(after).read(), lock: lock).findings
        #expect(lint.contains { $0.code == "variable-type" && $0.severity == .error })
        #expect(project(before).errors(try LockFile(text: lock.text)).isEmpty)
    }

    @Test func aRenamedVariableKeepsItsType() throws {
        let lock = try project(#""a": 1"#).lock()
        let next = try project(#""b": {"default": 2, "was": "a"}"#).lock(lock)
        #expect(next.types.mapValues { $0.sorted() } == [.init(.variable, "f", "b"): ["integer"]])
        #expect(try project("").lock(next).types.isEmpty)
    }

    @Test func aLockWithoutTypesIsReadAndGetsThem() throws {
        let lock = try project(#""a": 1"#).lock()
        let lines = lock.text.split(separator: "\n").filter { !$0.hasPrefix("[\"type\"") }
        let text = lines.joined(separator: "\n").replacing("\"turnout.lock\",3", with: "\"turnout.lock\",2")
        let older = try LockFile(text: text)
        #expect(older.types.isEmpty && older.ids == lock.ids)
        #expect(try project(#""a": "x""#).lock(older).types.values.flatMap(\.self) == ["string"])
    }

    /// The project of the merge has one of them.
    @Test func bothTypesOfMergedBranchesAreAccepted() throws {
        let text = try project(#""a": 1"#).lock().text
        let merged = try LockFile(
            text: text.replacing(
                "[\"turnout.lock\",\"end\"]",
                with: "[\"type\",\"variable\",\"f\",\"a\",\"string\"]\n[\"turnout.lock\",\"end\"]"))
        #expect(try project(#""a": 1"#).lock(merged).types.values.flatMap(\.self) == ["integer"])
        #expect(try project(#""a": "x""#).lock(merged).types.values.flatMap(\.self) == ["string"])
        #expect(project(#""a": true"#).errors(merged).count == 1)
        #expect(try LockFile(text: merged.text) == merged)
    }
}
