/// Configurations in files: property lists in XML and binary, and JSON.
@Suite struct FileTests {
    static var page: [String: Any] {
        [
            "experiment_01": [
                "Settings": [
                    "is_sticky": true, "supported_countries": "US,IL", "supported_languages": "en,he",
                ] as [String: Any],
                "Variants": ["variant_01": 70, "variant_02": 30],
            ] as [String: Any],
            "experiment_02": [
                "Settings": ["is_sticky": false, "supported_languages": "en,he"] as [String: Any],
                "Variants": ["variant_01": 0, "variant_02": 100],
            ] as [String: Any],
        ]
    }

    static let files: [(String, @Sendable () throws -> Data)] = [
        ("XML", { try PropertyListSerialization.data(fromPropertyList: page, format: .xml, options: 0) }),
        ("binary", { try PropertyListSerialization.data(fromPropertyList: page, format: .binary, options: 0) }),
        ("JSON", { try JSONSerialization.data(withJSONObject: page) }),
    ]

    @Test(arguments: files.indices)
    func allFileFormatsAreEquivalent(index: Int) throws {
        let directory = try OwnDirectory()
        let path = directory.file("rollout")
        try Self.files[index].1().write(to: URL(filePath: path))
        for number in [0.7, 0.700001] {
            let manager = ADRolloutManager(services: Device(drawing: number).services())
            try manager.setup(withContentsOfFile: path)
            #expect(manager.warnings.isEmpty)
            let first = number == 0.7 ? "experiment_01_variant_01" : "experiment_01_variant_02"
            #expect(manager.variant(byExperimentId: "experiment_01", defaultResult: "none") == first)
            let second: String = manager.variant(byExperimentId: "experiment_02", defaultResult: "none")
            #expect(second == "experiment_02_variant_02")
        }
    }

    @Test(arguments: ["", "hello", "[]", "<plist><array/></plist>", "<html></html>", #"{"exp": "#, "bplist00"])
    func invalidConfigurationsAreRefused(text: String) throws {
        let manager = Device().launch(experiment(["a": 1]))
        #expect(throws: RolloutSourceError.self) { try manager.setup(withData: Data(text.utf8)) }
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
    }

    @Test func aFileThatIsMissingIsRefused() {
        let manager = Device().launch(experiment(["a": 1]))
        #expect(throws: RolloutSourceError.self) { try manager.setup(withContentsOfFile: "/nonexistent/rollout.plist") }
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
    }

    @Test(
        arguments: [
            (["LC_ALL": "he_IL.UTF-8", "LANG": "en_US"], "he", "IL"), (["LANG": "pt_BR"], "pt", "BR"),
            (["LC_ALL": "", "LC_MESSAGES": "fr_CA@euro", "LANG": "en_US"], "fr", "CA"), (["LANG": "eo"], "eo", nil),
            (["LANG": "C.UTF-8"], nil, nil), (["LC_ALL": "POSIX", "LANG": "en_US"], nil, nil), ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func languageAndCountryComeFromTheEnvironment(environment: [String: String], language: String?, country: String?) {
        let found = DeviceLocale.posix(environment)
        #expect(found.language == language && found.country == country)
    }
}
