import Foundation
import RolloutManager
import Testing

/// User defaults that the program names keep draws as the vendor's library does.
@Suite struct UserDefaultsTests {
    private func setUp(_ defaults: UserDefaults?, _ device: Device, isSticky: Bool = true) -> ADRolloutManager {
        let manager = ADRolloutManager(services: device.services())
        manager.setup(
            withConfiguration: experiment(["a": 50, "exp_b": 50], ["is_sticky": isSticky]), userDefaults: defaults,
            userPreferedLanguage: "en", userCurrentLocale: Locale(identifier: "en_US"))
        return manager
    }

    @Test func theKeysAreTheVendors() {
        let own = OwnDefaults()
        let manager = setUp(own.defaults, Device(drawing: 0.25))
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_a")
        #expect(own.defaults.string(forKey: "exp_ExperimentResult") == "exp_a")
        #expect(own.defaults.double(forKey: "exp_ExperimentRandomNumber") == 0.25)
    }

    @Test func aVariantThatBeginsLikeTheExperimentIsSticky() {
        let own = OwnDefaults()
        own.defaults.set("exp_exp_b", forKey: "exp_ExperimentResult")
        own.defaults.set(0.1, forKey: "exp_ExperimentRandomNumber")
        let manager = setUp(own.defaults, Device())
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_exp_b")
    }

    @Test func halfADrawIsRepaired() {
        let own = OwnDefaults()
        own.defaults.set("exp_a", forKey: "exp_ExperimentResult")
        let device = Device(drawing: 0.9, 0.1)
        let manager = setUp(own.defaults, device, isSticky: false)
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

    @Test func aDrawInstanceHoldsWhatItIsGiven() {
        let draw = ADRolloutManagerDrawInstance()
        draw.chosenVariant = "exp_a"
        draw.randomNumber = 0.25
        #expect(draw.chosenVariant == "exp_a" && draw.randomNumber.doubleValue == 0.25)
    }
}
