/// MurmurHash3 gives these two keys the same hash for every seed: their blocks of four bytes differ in bits that cancel
/// each other. Two keys collide by chance only once in 10^15.
@Suite("Two keys with the same derived id are an error")
struct IDCollisionTests {
    private let first = "__ ak#on E"
    private let second = "__\u{23F}J.on\u{440}"

    private func project(_ flags: [String]) -> AuthoredProject {
        var project = AuthoredProject(key: "shop")
        project.environments = [AuthoredEnvironment(key: "production")]
        project.flags = flags.map { AuthoredFlag(key: $0) }
        return project
    }

    private func compile(_ project: AuthoredProject, _ lock: LockFile = LockFile()) -> CompiledProject {
        ProjectCompiler(project, lock: lock).compile()
    }

    private func collisions(_ compiled: CompiledProject) -> [Diagnostic] {
        compiled.diagnostics.all.filter { $0.code == "id-collision" }
    }

    @Test func theErrorNamesBothKeysInAnyOrder() throws {
        for keys in [[first, second], [second, first]] {
            let compiled = compile(project(keys))
            let error = try #require(collisions(compiled).first)
            #expect(error.message.contains("flag \(first)") && error.message.contains("flag \(second)"))
            #expect(error.advice == "rename one of them")
            #expect(compiled.datafiles.isEmpty && compiled.lock == LockFile())
        }
    }

    @Test func theLineInTheAdviceKeepsBothKeys() throws {
        let before = compile(project([first])).lock
        let failed = compile(project([first, second]), before)
        let advice = try #require(collisions(failed).first?.advice)
        let start = try #require(advice.firstIndex(of: "["))
        let line = try #require(advice[start...].split(separator: " to turnout.lock").first)
        let after = compile(project([first, second]), try LockFile(text: before.text + line))
        #expect(after.diagnostics.all.map(\.message) == [])
        #expect(Set(after.lock.ids.values).count == after.lock.ids.count)
        #expect(after.lock.ids[EntityPath(.flag, first)] == before.ids[EntityPath(.flag, first)])
    }

    @Test func theErrorHasThePlaceOfTheNewKey() throws {
        let text = ProjectText(
            #"{"project": "shop", "environments": {"production": {}}, "flags": {"#
                + "\n\"\(second)\": {},\n\"\(first)\": {}}}")
        let lock = compile(project([first])).lock
        let lines = try text.compile(lock).diagnostics.all.filter { $0.code == "id-collision" }.map(\.position?.line)
        #expect(lines == [2])
    }

    @Test func idsOfDeletedKeysCollideToo() {
        let deleted = compile(project([]), compile(project([first])).lock).lock
        #expect(!collisions(compile(project([second]), deleted)).isEmpty)
    }

    /// A key that was given up by a rename gets the next id, as its first one is still in use.
    @Test func aKeyThatIsUsedAgainAfterARenameIsNotACollision() {
        var renamed = project(["other"])
        renamed.flags[0].formerKey = first
        let lock = compile(renamed, compile(project([first])).lock).lock
        let compiled = compile(project(["other", first]), lock)
        #expect(compiled.diagnostics.all.isEmpty)
        #expect(compiled.lock.ids[EntityPath(.flag, first)] != lock.ids[EntityPath(.flag, "other")])
    }
}
