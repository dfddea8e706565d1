/// Filters: scenarios B-14 to B-20.
@Suite struct FilterTests {
    private static var both: [AnyHashable: Any] {
        experiment(["a": 1], ["is_sticky": true, "supported_countries": "US,IL", "supported_languages": "en,he"])
    }

    @Test("B-14: a filter by country: CA, il, and unknown")
    func b14Country() {
        let configuration = experiment(["a": 1], ["supported_countries": "US,IL"])
        #expect(Device().variant(in: configuration, country: "CA") == "none")
        #expect(Device().variant(in: configuration, country: "il") == "exp_a")
        #expect(Device().variant(in: configuration, country: nil) == "none")
    }

    @Test("B-14: the country is the region of the passed locale")
    func b14CountryOfALocale() {
        let configuration = experiment(["a": 1], ["supported_countries": "US,IL"])
        for (locale, expected) in [("en_CA", "none"), ("he_IL", "exp_a"), ("en", "none")] {
            let manager = ADRolloutManager(services: Device().services())
            manager.setup(
                withConfiguration: configuration, userDefaults: nil, userPreferedLanguage: "en",
                userCurrentLocale: Locale(identifier: locale))
            #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == expected, "\(locale)")
        }
    }

    @Test func theWorldIsNoCountry() {
        let configuration = experiment(["a": 1], ["supported_countries": "001"])
        let manager = ADRolloutManager(services: Device().services())
        manager.setup(
            withConfiguration: configuration, userDefaults: nil, userPreferedLanguage: "en",
            userCurrentLocale: Locale(identifier: "en_001"))
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "none")
    }

    @Test func anUnknownLanguageOrCountryIsReportedOnceByEachFilterThatDependsOnIt() {
        let device = Device()
        for (language, country, unknown) in [
            (nil, "US", ["language"]), ("en", nil, ["country"]), (nil, nil, ["language and country"]), ("en", "US", []),
        ] as [(String?, String?, [String])] {
            let count = device.warnings.count
            let manager = device.launch(Self.both, language: language, country: country)
            for _ in 0..<3 { _ = manager.variant(byExperimentId: "exp", defaultResult: "none") }
            let warnings = device.warnings.dropFirst(count)
            #expect(
                warnings.map { $0.hasPrefix("RolloutManager: the \(unknown.joined()) of this device is unknown, ") }
                    == unknown.map { _ in true })
        }
        let open = device.launch(experiment(["a": 1]), language: nil, country: nil)
        #expect(open.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
        #expect(device.warnings.count == 3)
        #expect(device.warnings.allSatisfy { $0.contains("RolloutServices") && $0.contains("LANG") })
    }

    #if !canImport(Darwin)
        /// In separate processes, because the environment is process-wide.
        @Test(arguments: [nil, "C", "POSIX", "C.UTF-8", "he_IL.UTF-8"])
        func aMachineWithoutALocaleHasNoLanguageAndCountry(locale: String?) async {
            await #expect(processExitsWith: .success) { [locale = locale as String?] in
                for name in ["LC_ALL", "LC_MESSAGES", "LANG"] { unsetenv(name) }
                if let locale { setenv("LANG", locale, 1) }
                let services = RolloutServices()
                let isKnown = locale?.hasPrefix("he") == true
                #expect(services.language == (isKnown ? "he" : nil) && services.country == (isKnown ? "IL" : nil))
            }
        }
    #endif

    @Test("B-15: a filter by language: en-GB and fr")
    func b15Language() {
        let configuration = experiment(["a": 1], ["supported_languages": "en,he"])
        #expect(Device().variant(in: configuration, language: "en-GB") == "exp_a")
        #expect(Device().variant(in: configuration, language: "fr") == "none")
        #expect(Device().variant(in: configuration, language: nil) == "none")
        // Only a hyphen ends the language code, as measured.
        #expect(Device().variant(in: configuration, language: "en_GB") == "none")
    }

    @Test("B-16: both filters must match; a draw survives an exclusion")
    func b16BothFilters() {
        let device = Device(drawing: 0.3)
        #expect(device.variant(in: Self.both, language: "he", country: "IL") == "exp_a")
        #expect(device.variant(in: Self.both, language: "fr", country: "IL") == "none")
        #expect(device.variant(in: Self.both, language: "he", country: "FR") == "none")
        #expect(device.variant(in: Self.both, language: "he", country: "IL") == "exp_a")
        #expect(device.chance.count == 1)
    }

    @Test("B-17: spaces in a list are ignored")
    func b17SpacesInLists() {
        let configuration = experiment(["a": 1], ["supported_countries": " US, IL "])
        #expect(Device().variant(in: configuration, country: "IL") == "exp_a")
        #expect(Device().variant(in: configuration, country: "US") == "exp_a")
        #expect(Device().variant(in: experiment(["a": 1], ["supported_countries": ""])) == "none")
    }

    @Test("B-18: a condition: false removes the draw, true admits, without an experiment it is not called")
    func b18Conditions() {
        let device = Device(drawing: 0.1, 0.9)
        let manager = device.launch(experiment(["a": 50, "b": 50], ["is_sticky": true]))
        func ask(_ experiment: String, _ condition: @escaping () -> Bool) -> String {
            manager.variant(byExperimentId: experiment, defaultResult: "none", customConditions: condition)
        }
        #expect(ask("exp") { true } == "exp_a")
        #expect(ask("exp") { false } == "none")
        #expect(ask("exp") { true } == "exp_b")
        #expect(device.chance.count == 2)
        var wasAsked = false
        #expect(
            ask("unknown") {
                wasAsked = true
                return true
            } == "none")
        #expect(!wasAsked)
    }

    @Test("B-19: a condition is called once, before the filters")
    func b19ConditionIsCalledOnce() {
        let manager = Device().launch(Self.both, country: "FR")
        var count = 0
        for _ in 0..<3 {
            _ = manager.variant(byExperimentId: "exp", defaultResult: "none") {
                count += 1
                return true
            }
        }
        #expect(count == 3)
    }

    @Test("B-20: after a draw is removed, the next call draws again")
    func b20Removal() {
        let own = OwnDefaults()
        defer { withExtendedLifetime(own) {} }
        let device = Device(.userDefaults(own.defaults), drawing: 0.1, 0.9)
        let manager = device.launch(experiment(["a": 50, "b": 50], ["is_sticky": true]))
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
        manager.removeExperimentDrawIfExisted("exp")
        #expect(own.defaults.object(forKey: "exp_ExperimentResult") == nil)
        #expect(own.defaults.object(forKey: "exp_ExperimentRandomNumber") == nil)
        manager.removeExperimentDrawIfExisted("exp")
        manager.removeExperimentDrawIfExisted(nil)
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_b")
    }
}
