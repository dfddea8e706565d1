import TestProcesses

/// Profiles are valid under the page's JSON schema.
@Suite struct ProfileSchemaTests {
    /// Python with a JSON Schema library, installed by `Scripts/setup`.
    private static let python = "\(root)/.build/json-schema/bin/python"
    private static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }
    private static var root: String {
        URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/").replacingOccurrences(
            of: "//", with: "/")
    }

    /// The schema of the page.
    private static let schema = """
        {
          "title": "UserProfile",
          "type": "object",
          "properties": {
            "user_id": {"type": "string"},
            "experiment_bucket_map": {"type": "object",
                                      "patternProperties": {
                                         "^[a-zA-Z0-9]+$": {"type": "object",
                                                            "properties": {"variation_id": {"type":"string"}},
                                                            "required": ["variation_id"]}
                                       }
                                     }
          },
          "required": ["user_id", "experiment_bucket_map"]
        }
        """

    private static let program = """
        import json, sys, jsonschema
        schema, profile = json.load(open(sys.argv[1]))
        jsonschema.Draft7Validator.check_schema(schema)
        sys.exit(0 if jsonschema.Draft7Validator(schema).is_valid(profile) else 3)
        """

    /// Whether a profile is valid.
    private func isValid(_ profile: [AnyHashable: Any]) async throws -> Bool {
        let json = try JSONSerialization.data(withJSONObject: required(profile as? [String: Any]))
        // A file rather than a pipe, which processes started by other tests would keep open.
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try (Data("[\(Self.schema),".utf8) + json + Data("]".utf8)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let status = try await blocking {
            try ChildProcess(Self.python, ["-c", Self.program, file.path]).waitUntilExit()
        }
        try #require(status == 0 || status == 3)
        return status == 0
    }

    @Test(.enabled(if: isInstalled, "Scripts/setup installs the validator"))
    func profilesFromLookupsMatchTheSchema() async throws {
        let setup = TestSetup()
        let service = try required(setup.make { OPTLYUserProfileServiceDefault { _ in } })
        let client = try setup.client(profiles: service)
        client.activate("sticky", userId: "ada")
        client.activate("grouped", userId: "ada")
        #expect(try await isValid(required(service.lookup("ada"))))
        let own = Profiles()
        try setup.client(profiles: own).activate("sticky", userId: "ada")
        #expect(try await isValid(required(own.lookup("ada"))))
        #expect(try await !isValid(["user_id": "ada"]))
        #expect(try await !isValid(["user_id": "ada", "experiment_bucket_map": ["1": [String: String]()]]))
    }
}
