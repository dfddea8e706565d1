/// User defaults set by the program store draws in the format of the vendor's library.
@Suite struct UserDefaultsTests {
    private let own = OwnDefaults()

    private func setUp(_ defaults: UserDefaults?, _ device: Device) -> ADRolloutManager {
        let manager = ADRolloutManager(services: device.services())
        manager.setup(
            withConfiguration: experiment(["a": 50, "exp_b": 50], ["is_sticky": true]), userDefaults: defaults,
            userPreferedLanguage: "en", userCurrentLocale: Locale(identifier: "en_US"))
        return manager
    }

    @Test func theKeysAreTheVendors() {
        let device = Device(DrawStorage(UserDefaultsDrawStore(own.defaults)), drawing: 0.25)
        let manager = device.launch(experiment(["a": 50, "exp_b": 50], ["is_sticky": true]))
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
        #expect(own.defaults.string(forKey: "exp_ExperimentResult") == "exp_a")
        #expect(own.defaults.double(forKey: "exp_ExperimentRandomNumber") == 0.25)
    }

    @Test func aVariantThatBeginsLikeTheExperimentIsSticky() {
        own.defaults.set("exp_exp_b", forKey: "exp_ExperimentResult")
        own.defaults.set(0.1, forKey: "exp_ExperimentRandomNumber")
        let manager = setUp(own.defaults, Device())
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_exp_b")
    }

    /// By grapheme clusters, the first mark of the variant's name would join the separator before it.
    @Test(arguments: [true, false]) func aVariantMayBeginWithAMark(isInUserDefaults: Bool) throws {
        let draws: DrawStorage =
            isInUserDefaults ? DrawStorage(UserDefaultsDrawStore(own.defaults)) : .userDefaults(own.defaults)
        let device = Device(draws, drawing: 0.9, 0.1)
        let name = "\u{301}b"
        #expect(device.variant(in: experiment(["a": 1, name: 1], ["is_sticky": true])) == "exp_\(name)")
        #expect(device.variant(in: experiment(["a": 1, name: 0], ["is_sticky": true])) == "exp_\(name)")
        #expect(device.chance.count == 1)
    }

    @Test func halfADrawIsRepaired() {
        own.defaults.set("exp_a", forKey: "exp_ExperimentResult")
        let device = Device(DrawStorage(UserDefaultsDrawStore(own.defaults)), drawing: 0.9, 0.1)
        let manager = device.launch(experiment(["a": 50, "exp_b": 50]))
        for _ in 0..<3 { #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_exp_b") }
        #expect(own.defaults.double(forKey: "exp_ExperimentRandomNumber") == 0.9)
        #expect(device.chance.count == 1)
    }

    @Test func withoutDefaultsEachCallDraws() {
        let device = Device(drawing: 0.1, 0.9)
        let manager = setUp(nil, device)
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_exp_b")
    }

    @Test func aDrawInstanceStoresItsValues() {
        let draw = ADRolloutManagerDrawInstance()
        draw.chosenVariant = "exp_a"
        draw.randomNumber = 0.25
        #expect(draw.chosenVariant == "exp_a" && draw.randomNumber.doubleValue == 0.25)
    }
}
