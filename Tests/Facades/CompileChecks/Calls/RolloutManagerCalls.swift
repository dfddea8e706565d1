import Foundation
import RolloutManager

/// Calls as in programs that use RolloutManager.
func useRolloutManager(_ dictionary: [AnyHashable: Any], _ list: NSDictionary) {
    let manager = ADRolloutManager()
    manager.setup(withConfiguration: dictionary)
    manager.setup(withConfiguration: ["exp": ["Variants": ["a": 1]]])
    manager.setup(withConfiguration: list as? [AnyHashable: Any])
    manager.setup(withConfiguration: nil)
    manager.setup(
        withConfiguration: dictionary, userDefaults: UserDefaults.standard, userPreferedLanguage: "en",
        userCurrentLocale: Locale.current)
    manager.setup(
        withConfiguration: dictionary, userDefaults: UserDefaults(suiteName: "group"),
        userPreferedLanguage: Locale.preferredLanguages.first, userCurrentLocale: nil)
    let chosen: String = manager.variant(byExperimentId: "exp", defaultResult: "exp_a")
    let optional = manager.variant(byExperimentId: "exp", defaultResult: nil)
    if chosen == "exp_a" || optional == nil { manager.removeExperimentDrawIfExisted("exp") }
    switch manager.variant(byExperimentId: "exp", defaultResult: "exp_a", customConditions: { true }) {
    case "exp_a": break
    default: break
    }
    _ = manager.variant(byExperimentId: "exp", defaultResult: "exp_a", customConditions: nil)
}

/// A manager that always returns the default.
final class FixedRolloutManager: ADRolloutManager, @unchecked Sendable {
    override init() { super.init() }

    override func variant(byExperimentId experimentId: String!, defaultResult: String!) -> String! { defaultResult }
}

func useDrawInstances() -> String {
    let draw = ADRolloutManagerDrawInstance()
    draw.chosenVariant = "exp_a"
    draw.randomNumber = NSNumber(value: 0.5)
    return draw.chosenVariant
}
