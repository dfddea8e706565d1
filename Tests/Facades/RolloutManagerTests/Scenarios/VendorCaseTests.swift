import Foundation
import RolloutManager
import Testing

/// B-30: the cases of the vendor's own 21 tests, with the same inputs.
@Suite struct VendorCaseTests {
    private static let two = ["Opt01": 1, "Opt02": 1]

    private func variant(
        _ configuration: [AnyHashable: Any]?, _ experiment: String? = "Exp01", language: String? = "en",
        country: String? = "US", in defaults: UserDefaults? = nil
    ) -> String {
        let manager = ADRolloutManager(services: Device(drawing: 0.3).services())
        manager.setup(
            withConfiguration: configuration, userDefaults: defaults, userPreferedLanguage: language,
            userCurrentLocale: country.map { Locale(identifier: "en_\($0)") })
        return manager.variant(byExperimentId: experiment, defaultResult: "default")
    }

    private func configuration(_ variants: [String: Any], _ settings: [String: Any] = [:]) -> [AnyHashable: Any] {
        ["Exp01": ["Settings": settings, "Variants": variants] as [String: Any]]
    }

    @Test("B-30: allocation (3)")
    func b30Allocation() {
        #expect(variant(configuration(["Opt01": 0, "Opt02": 1])) == "Exp01_Opt02")
        let both: [AnyHashable: Any] = [
            "Exp01": ["Variants": ["Opt01": 1, "Opt02": 0]], "Exp02": ["Variants": ["Opt01": 0, "Opt02": 1]],
        ]
        #expect(variant(both, "Exp01") == "Exp01_Opt01" && variant(both, "Exp02") == "Exp02_Opt02")
        #expect(variant(both, "Exp03") == "default")
    }

    @Test(
        "B-30: a saved draw (4)",
        arguments: [
            (false, 1, 0, "Opt01"), (false, 0, 1, "Opt02"), (true, 1, 0, "Opt01"), (true, 0, 1, "Opt01"),
        ])
    func b30SavedDraw(isSticky: Bool, first: Int, second: Int, expected: String) {
        let own = OwnDefaults()
        defer { withExtendedLifetime(own) {} }
        own.defaults.set("Exp01_Opt01", forKey: "Exp01_ExperimentResult")
        own.defaults.set(0.44, forKey: "Exp01_ExperimentRandomNumber")
        let configuration = configuration(["Opt01": first, "Opt02": second], ["is_sticky": isSticky])
        #expect(variant(configuration, in: own.defaults) == "Exp01_\(expected)")
    }

    @Test("B-30: a removed variant (1)")
    func b30RemovedVariant() {
        let own = OwnDefaults()
        defer { withExtendedLifetime(own) {} }
        let sticky = ["is_sticky": true]
        #expect(variant(configuration(["Opt01": 1, "Opt02": 0], sticky), in: own.defaults) == "Exp01_Opt01")
        #expect(variant(configuration(["Opt02": 1], sticky), in: own.defaults) == "Exp01_Opt02")
    }

    @Test("B-30: no arguments (2)")
    func b30NoArguments() {
        #expect(variant(nil) == "default")
        #expect(variant(configuration(Self.two), nil) == "default")
    }

    @Test("B-30: languages (4)")
    func b30Languages() {
        let settings = ["supported_languages": "En,hr,he"]
        #expect(variant(configuration(["Opt01": 1], settings), language: "en") == "Exp01_Opt01")
        #expect(variant(configuration(["Opt01": 1], settings), language: "en-UK") == "Exp01_Opt01")
        #expect(variant(configuration(["Opt01": 1], settings), language: "fr") == "default")
        #expect(variant(configuration(["Opt01": 1]), language: "fr") == "Exp01_Opt01")
    }

    @Test("B-30: countries (3)")
    func b30Countries() {
        let settings = ["supported_countries": "us,il,sp"]
        #expect(variant(configuration(["Opt01": 1], settings), country: "IL") == "Exp01_Opt01")
        #expect(variant(configuration(["Opt01": 1], settings), country: "FR") == "default")
        #expect(variant(configuration(["Opt01": 1]), country: "FR") == "Exp01_Opt01")
    }

    @Test("B-30: removal (2)")
    func b30Removal() {
        let own = OwnDefaults()
        defer { withExtendedLifetime(own) {} }
        own.defaults.set("Exp01_Opt01", forKey: "Exp01_ExperimentResult")
        own.defaults.set(0.44, forKey: "Exp01_ExperimentRandomNumber")
        let manager = Device(DrawStorage(UserDefaultsDrawStore(own.defaults))).launch(configuration(Self.two))
        manager.removeExperimentDrawIfExisted("Exp02")
        #expect(own.defaults.string(forKey: "Exp01_ExperimentResult") == "Exp01_Opt01")
        manager.removeExperimentDrawIfExisted("Exp01")
        #expect(own.defaults.object(forKey: "Exp01_ExperimentResult") == nil)
    }

    @Test("B-30: custom conditions (2)", arguments: [(true, "Exp01_Opt01"), (false, "default")])
    func b30CustomConditions(isMet: Bool, expected: String) {
        let manager = Device().launch(configuration(["Opt01": 1]))
        let variant: String = manager.variant(
            byExperimentId: "Exp01", defaultResult: "default", customConditions: { isMet })
        #expect(variant == expected)
    }
}
