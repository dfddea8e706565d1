import TurnoutFlags
import TurnoutYAML

/// The JSON Schema of project files, with which editors complete and check, against the reader.
@Suite(.blocking) struct ProjectSchemaTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path
    private static let python = "\(root)/.build/json-schema/bin/python"
    private static let schema = "\(root)/Sources/Commands/TurnoutCommands/Projects/flags.schema.json"
    private static let hasPython = FileManager.default.isExecutableFile(atPath: python)

    @Test func theSchemaHasEachKeyOfTheReader() throws {
        let schema = try JSONValue(parsing: String(contentsOfFile: Self.schema, encoding: .utf8))
        let definitions = try #require(schema["definitions"])
        for part in ProjectPart.allCases {
            let definition = try #require(definitions["\(part)"], "\(part)")
            var mapping = definition
            if case .array(let alternatives) = definition["anyOf"] { mapping = try #require(alternatives.last) }
            guard case .object(let members) = mapping["properties"] else {
                Issue.record("\(part) has no properties")
                continue
            }
            #expect(members.keys.sorted() == part.keys.sorted(), "\(part)")
        }
    }

    /// Projects that the reader accepts are valid, and mistakes that editors should show are not.
    @Test(.enabled(if: hasPython, "run Scripts/setup"))
    func theSchemaAcceptsWhatTheReaderAccepts() throws {
        let directory = TemporaryDirectory(isCreated: true)
        var projects = try ["Examples/Shop/flags.yaml", "Fuzz/Seeds/FuzzProjectYAML/project.yaml"].map {
            try String(contentsOfFile: "\(Self.root)/\($0)", encoding: .utf8)
        }
        let guide = try String(contentsOfFile: "\(Self.root)/Documentation/Guides/TheProjectFile.md", encoding: .utf8)
        projects.append(String(guide.split(separator: "```yaml\n")[1].split(separator: "```")[0]))
        let mistakes = [
            "flag: {}", "flags: {a: {variatons: {}}}", "settings: {region: UK}", "flags: {a: {enabled: 1}}",
            "holdouts: {a: {traffic: 5}}", "flags: {a: {rules: [{experiment: b}]}}",
            "metrics: {a: {event: b, count: sum}}", "metrics: {a: {event: b, count: total, window: 7}}",
            "experiments: {a: {split: {}, plan: {per_day: 9}}}",
        ]
        projects += mistakes.map { "project: shop\nenvironments: {production: {}}\n\($0)\n" }
        var files: [String] = []
        for (index, project) in projects.enumerated() {
            let node = try Node(yaml: SourceFile(name: "project", bytes: Array(project.utf8)))
            let file = directory.url.appending(path: "\(index).json")
            try Data(node.jsonValue.bytes).write(to: file)
            files.append(file.path)
        }
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft7Validator.check_schema(schema)
            validator = jsonschema.Draft7Validator(schema)
            for path in sys.argv[2:]:
                errors = validator.iter_errors(json.load(open(path)))
                print(next((error.message[:300] for error in errors), "valid"))
            """
        let output = try ChildProcess.output(of: Self.python, ["-c", script, Self.schema] + files)
        let lines = output.split(separator: "\n")
        try #require(lines.count == projects.count)
        for line in lines.dropLast(mistakes.count) { #expect(line == "valid") }
        for (line, mistake) in zip(lines.suffix(mistakes.count), mistakes) { #expect(line != "valid", "\(mistake)") }
    }
}
