/// A defect of a configuration causes a warning with the names of the experiment and the key; only that experiment
/// returns the default.
@Suite struct WarningTests {
    private static var sound: [String: Any] { ["Variants": ["a": 1]] }

    static var wrong: [(String, Any, String)] {
        [
            ("no dictionary", 5, #""exp": expected a dictionary, found a number"#),
            ("Variants missing", ["Settings": ["is_sticky": true]], #""exp", Variants: missing"#),
            ("Variants a list", ["Variants": ["a", "b"]], #""exp", Variants: expected a dictionary of weights"#),
            ("weight a list", ["Variants": ["a": [1]]], #""exp", Variants.a: expected a number, found a list"#),
            ("weight a null", ["Variants": ["a": NSNull()]], #""exp", Variants.a: expected a number"#),
            ("weight a date", ["Variants": ["a": Date()]], #""exp", Variants.a: expected a number"#),
            (
                "weight a dictionary", ["Variants": ["a": [:] as [String: Any]]],
                #""exp", Variants.a: expected a number"#
            ),
            ("Settings a list", ["Variants": ["a": 1], "Settings": [1]], #""exp", Settings: expected a dictionary"#),
            ("unknown key", ["Variants": ["a": 1], "variants": ["a": 1]], #""exp", variants: no such key"#),
            ("unknown setting", settings("is_stiky", true), #""exp", Settings.is_stiky: no such setting"#),
            ("sticky a text", settings("is_sticky", "maybe"), #""exp", Settings.is_sticky: expected true or false"#),
            ("sticky a list", settings("is_sticky", [true]), #""exp", Settings.is_sticky: expected true or false"#),
            (
                "countries a list", settings("supported_countries", ["US"]),
                #"Settings.supported_countries: expected a text"#
            ),
            (
                "languages a number", settings("supported_languages", 1),
                #"Settings.supported_languages: expected a text"#
            ),
        ]
    }

    private static func settings(_ key: String, _ value: Any) -> [String: Any] {
        ["Variants": ["a": 1], "Settings": [key: value]]
    }

    @Test(arguments: wrong.indices)
    func invalidValuesAreReportedAndUseTheDefault(index: Int) {
        let (title, value, warning) = Self.wrong[index]
        let device = Device()
        let manager = device.launch(["exp": value, "other": Self.sound])
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "none", "\(title)")
        #expect(manager.variant(byExperimentId: "other", defaultResult: "none") == "other_a", "\(title)")
        #expect(manager.warnings.contains { $0.contains(warning) }, "\(title): \(manager.warnings)")
        #expect(device.warnings.contains { $0.contains(warning) }, "\(title): \(device.warnings)")
    }

    @Test func anInvalidExperimentKeepsStickyUsers() {
        let device = Device(drawing: 0.1, 0.9)
        let configuration = experiment(["a": 50, "b": 50], ["is_sticky": true])
        #expect(device.variant(in: configuration) == "exp_a")
        #expect(device.variant(in: experiment(["a": 50, "b": 50], ["is_stiky": true])) == "none")
        #expect(device.variant(in: configuration) == "exp_a")
    }

    @Test func anInvalidWeightIsReported() {
        let manager = Device().launch(experiment(["a": "abc", "b": -1, "c": 1]))
        #expect(
            manager.warnings == [
                #"experiment "exp", Variants.a: expected a finite number of 0 or more; counts as 0"#,
                #"experiment "exp", Variants.b: expected a finite number of 0 or more; counts as 0"#,
            ])
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_c")
        let nobody = Device().launch(experiment(["a": 0])).warnings
        #expect(nobody == [#"experiment "exp", Variants: no variant has any weight; all users get the default"#])
    }

    @Test func booleansHaveTheSpellingsOfTheVendor() {
        for (value, isSticky) in [
            ("YES", true), ("true", true), ("1", true), ("NO", false), ("0", false), (1, true), (0.0, false),
        ] as [(Any, Bool)] {
            let device = Device(drawing: 0.2)
            _ = device.variant(in: experiment(["a": 1, "b": 0]))
            let expected = isSticky ? "exp_a" : "exp_b"
            #expect(device.variant(in: experiment(["a": 0, "b": 1], ["is_sticky": value])) == expected, "\(value)")
        }
    }

    @Test func dictionariesOfFoundationAreAccepted() {
        let variants = NSDictionary(dictionary: ["a" as NSString: NSNumber(value: 0), "b" as NSString: "3" as NSString])
        let configuration = NSDictionary(dictionary: ["exp": NSDictionary(dictionary: ["Variants": variants])])
        let manager = Device().launch(configuration as? [AnyHashable: Any])
        #expect(manager.warnings.isEmpty)
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_b")
    }
}
