import TestSupport
import Testing
import TurnoutEngine
import TurnoutFlags

/// A file of another tool that is imported, written, read back and compiled.
struct ForeignExample {
    let imported: AuthoredProject
    let notes: [Diagnostic]
    private let project: Project

    init(_ json: String, as format: ForeignImport.Format) throws {
        let source = SourceFile(name: "flags.json", bytes: Array(json.utf8))
        let root = try Node(json: source)
        #expect(ForeignImport.Format.recognized(in: root) == format)
        try self.init(root, as: format, in: source)
    }

    init(_ root: Node, as format: ForeignImport.Format, in source: SourceFile) throws {
        (imported, notes) = try ForeignImport.read(root, as: format, in: source)
        #expect(notes.allSatisfy { $0.severity == .warning })
        #expect(notes.dropFirst().allSatisfy { $0.code != "users-move" })
        let read = try AuthoredProject.read(json: ProjectWriter.node(of: imported).json)
        #expect(read == imported)
        let compiled = ProjectCompiler(read, lock: LockFile()).compile()
        #expect(compiled.diagnostics.all.map(\.message) == [])
        project = try Project(datafile: try #require(compiled.datafiles.first?.bytes))
    }

    /// The variation of a user, with the value of the variable if there is one: `on`, `big 12`.
    func decision(_ flag: String, _ attributes: [String: AttributeValue] = [:], user: String = "user") -> String {
        var values = Attributes()
        for (key, value) in attributes { values[key] = value }
        let decision = project.decide(flag, for: User(user, attributes: values))
        let value: String? =
            switch decision.variables["value"] {
            case .string(let text): text
            case .integer(let number): "\(number)"
            case .double(let number): "\(number)"
            case .json(let members):
                {
                    var writer = JSONWriter()
                    writer.value(.object(members))
                    return writer.text
                }()
            default: nil
            }
        let isOff = !decision.isEnabled && decision.variationKey != "off"
        return (isOff ? "disabled " : "") + (decision.variationKey ?? "none") + (value.map { " \($0)" } ?? "")
    }

    /// The shares of variations among 4,000 users, or 10,000 in a thorough run, in whole percent.
    func shares(_ flag: String, _ attributes: [String: AttributeValue] = [:]) -> [String: Int] {
        var counts: [String: Int] = [:]
        let users = rounds(4_000, thorough: 10_000)
        for number in 0..<users { counts[decision(flag, attributes, user: "user \(number)"), default: 0] += 1 }
        return counts.mapValues { ($0 * 100 + users / 2) / users }
    }

    /// The notes about a flag.
    func notes(on flag: String) -> [String] {
        notes.filter { $0.message.hasPrefix("flag \"\(flag)\"") }.map(\.message)
    }

    /// The rules of a flag: `experiment a_rule1`.
    func rules(_ flag: String) -> [String] {
        guard let flag = imported.flags.first(where: { $0.key == flag }) else { return ["no flag"] }
        return flag.rules.experiments.map { "experiment \($0.key)" }
            + flag.rules.deliveries.map { "delivery \($0.key)" }
    }
}

/// Whether shares are as expected, give or take three percent.
func expectShares(
    _ found: [String: Int], _ expected: [String: Int], sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(Set(found.filter { $0.value > 0 }.keys) == Set(expected.keys), sourceLocation: sourceLocation)
    for (key, share) in expected {
        #expect(abs((found[key] ?? 0) - share) <= 3, "\(found)", sourceLocation: sourceLocation)
    }
}
