import LibC
import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// Findings in SARIF 2.1.0 (OASIS, 2023), which code hosts show beside the changed lines.
///
/// Files in a git repository are named relative to its root, so that the report means the same on every machine. Others
/// have `file:` addresses.
struct SARIFReport {
    private let findings: [(file: String, finding: Diagnostic)]
    /// The codes of the findings, each once.
    private let codes: [String]

    init(_ findings: [(file: String, finding: Diagnostic)]) {
        self.findings = findings
        codes = Set(findings.map(\.finding.code)).sorted()
    }

    /// The base of relative addresses. GitHub and other code hosts know this name.
    private static let baseID = "%SRCROOT%"

    /// The report: a log with one run.
    var text: String {
        var files: [String: Location] = [:]
        for file in Set(findings.map(\.file)) { files[file] = Location(of: file) }
        var run: [String: JSONValue] = [
            "tool": .object(["driver": .object(driver)]),
            // The default would be UTF-16 code units.
            "columnKind": .string("unicodeCodePoints"),
            "results": .array(findings.map { result($0.finding, at: files[$0.file] ?? nil) }),
        ]
        if let root = files.values.lazy.compactMap(\.root).first {
            run["originalUriBaseIds"] = .object([Self.baseID: .object(["uri": .string(Location.address(root + "/"))])])
        }
        return CommandResult.json([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .array([.object(run)]),
        ])
    }

    private var driver: [String: JSONValue] {
        let rules = codes.map { JSONValue.object(Self.rule($0)) }
        return ["name": .string("turnout"), "version": .string(LibraryVersion.current), "rules": .array(rules)]
    }

    /// The meaning of a code, why it matters, and how findings of it are silenced.
    private static func rule(_ code: String) -> [String: JSONValue] {
        func text(_ text: String) -> JSONValue { .object(["text": .string(text)]) }
        let known = LintRule.all.first { $0.code == code }
        let severity = known?.severity ?? .error
        let meaning = (LintRule.meaning(of: code) ?? code) + "."
        let explanation = [meaning, known?.explanation].compactMap(\.self).joined(separator: " ")
        let silencing =
            severity == .error
            ? "The project does not compile until it is corrected, so it cannot be silenced." : LintRule.silencing(code)
        return [
            "id": .string(code), "shortDescription": text(meaning), "fullDescription": text(explanation),
            "help": text(explanation + " " + silencing),
            "defaultConfiguration": .object(["level": .string(severity.rawValue)]),
        ]
    }

    private func result(_ finding: Diagnostic, at location: Location?) -> JSONValue {
        var members: [String: JSONValue] = [
            "ruleId": .string(finding.code), "level": .string(finding.severity.rawValue),
            "message": .object(["text": .string(finding.sentences)]),
        ]
        if let index = codes.firstIndex(of: finding.code) { members["ruleIndex"] = .integer(Int64(index)) }
        if let location {
            var place: [String: JSONValue] = ["artifactLocation": .object(location.members(baseID: Self.baseID))]
            if let position = finding.position {
                place["region"] = .object([
                    "startLine": .integer(Int64(position.line)), "startColumn": .integer(Int64(position.column)),
                ])
            }
            members["locations"] = .array([.object(["physicalLocation": .object(place)])])
        }
        return .object(members)
    }

    private struct Location {
        /// The root of its repository, without a slash at the end; nil outside of one.
        let root: String?
        /// The path from the root, or from `/`.
        private let path: String

        /// Returns nil for standard input.
        init?(of name: String) {
            guard name != "-" else { return nil }
            let resolved = realpath(name, nil)
            defer { free(resolved) }
            let full = resolved.map { String(cString: $0) } ?? Self.absolute(name)
            var folder = full
            while let slash = folder.lastIndex(of: "/") {
                folder = String(folder[..<slash])
                guard OutputFile.exists(folder + "/.git") else { continue }
                root = folder
                path = String(full.dropFirst(folder.count + 1))
                return
            }
            (root, path) = (nil, full)
        }

        /// The path of a file that does not exist.
        private static func absolute(_ name: String) -> String {
            name.hasPrefix("/") ? name : Folder.current + "/" + name
        }

        func members(baseID: String) -> [String: JSONValue] {
            guard root != nil else { return ["uri": .string(Self.address(path))] }
            return ["uri": .string(Self.escaped(path)), "uriBaseId": .string(baseID)]
        }

        /// The address of an absolute path.
        static func address(_ path: String) -> String { "file://" + escaped(path) }

        /// A path with percent escapes for all bytes but the unreserved ones of RFC 3986.
        private static func escaped(_ path: String) -> String {
            path.percentEncoded.replacing("%2F", with: "/").replacing("%7E", with: "~")
        }
    }
}
