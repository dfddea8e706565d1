import Foundation

@Suite("All codes of errors and findings are explained")
struct ErrorCodeTests {
    private static let errors =
        SyntaxProblem.allCases.map { ($0.rawValue, $0.meaning) }
        + ReadingProblem.allCases.map { ($0.rawValue, $0.meaning) }
        + CompilingProblem.allCases.map { ($0.rawValue, $0.meaning) }
        + LockProblem.allCases.map { ($0.rawValue, $0.meaning) }

    @Test func theProjectFilePageListsEveryCode() throws {
        let page = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../Documentation/Guides/TheProjectFile.md").standardized
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let listed = lines.filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|")[0] }.joined()
        for code in Self.errors.map(\.0) + LintRule.all.map(\.code) { #expect(listed.contains("`\(code)`"), "\(code)") }
        for rule in LintRule.all where rule.severity != .error {
            #expect(lines.contains("| `\(rule.code)` | \(rule.severity) | \(rule.explanation) |"))
        }
    }

    @Test func aCodeHasOneMeaning() {
        var meanings: [String: String] = [:]
        for (code, meaning) in Self.errors {
            #expect(!meaning.hasSuffix("."))
            #expect(meanings.updateValue(meaning, forKey: code) ?? meaning == meaning, "\(code)")
        }
    }
}
