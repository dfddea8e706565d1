public import Foundation
import TurnoutClient
import TurnoutRollouts

/// Decides which variant this device gets in each experiment of a configuration.
///
/// ```swift
/// let manager = ADRolloutManager()
/// manager.setup(withConfiguration: configuration)
/// let variant = manager.variant(byExperimentId: "experiment_01", defaultResult: "experiment_01_variant_02")
/// ```
///
/// A device draws a random number once for each experiment; the weights divide the range of numbers among the variants.
/// The draw is stored, so the device keeps its variant until the experiment is changed, and for a sticky experiment
/// even then. May be used from any thread. No method throws for an invalid configuration or traps: each mistake is a
/// warning in the log and in ``warnings``, and an unusable experiment gives the caller's default.
// @unchecked Sendable because the class may be subclassed, as the vendor's can; its own state is behind a lock.
open class ADRolloutManager: NSObject, @unchecked Sendable {
    private struct Setup: Sendable {
        /// Nil: there is none yet.
        var configuration: @Sendable () -> RolloutConfiguration?
        var user: RolloutUser
        var draws: DrawKeeper
    }

    private let services: RolloutServices
    private let state = Locked<Setup?>(nil)
    private let reported = Locked<Set<String>>([])

    /// Creates a manager with the standard services. Until it is set up, every experiment gives the caller's default.
    public override init() {
        services = RolloutServices()
        super.init()
    }

    /// Creates a manager with the given services.
    public init(services: RolloutServices) {
        self.services = services
        super.init()
    }

    // MARK: Setting up

    /// Uses a configuration from now on, with the language and country of this device. Draws are stored in a file of
    /// the program; draws of the vendor's library in the standard user defaults are migrated.
    ///
    /// - Parameter configuration: The experiments by name, each a dictionary with `Variants` and optionally `Settings`.
    ///   Nil: every experiment gives the caller's default, and draws are kept.
    open func setup(withConfiguration configuration: [AnyHashable: Any]!) {
        begin(configuration, services.user, services.draws)
    }

    /// Uses a configuration from now on, with the given language and country.
    ///
    /// - Parameters:
    ///   - configuration: The experiments by name, each a dictionary with `Variants` and optionally `Settings`. Nil:
    ///     every experiment gives the caller's default, and draws are kept.
    ///   - userDefaults: Stores the draws, as ``DrawStorage/userDefaults(_:)`` describes. The standard user defaults
    ///     stand for the draw storage of the services, by default a file of the program. Nil: draws are not stored, and
    ///     each call draws anew.
    ///   - userPreferedLanguage: The language, such as `en-GB`; only the part before the first hyphen counts. Nil means
    ///     unknown: filters by language exclude the user.
    ///   - userCurrentLocale: The locale whose region is the country. Nil means unknown, and so does the region `001`:
    ///     filters by country exclude the user.
    open func setup(
        withConfiguration configuration: [AnyHashable: Any]!, userDefaults: UserDefaults!,
        userPreferedLanguage: String!, userCurrentLocale: Locale!
    ) {
        let draws: DrawStorage =
            switch userDefaults {
            case nil: .none
            case .some(let defaults) where defaults === UserDefaults.standard: services.draws
            case .some(let defaults): .userDefaults(defaults)
            }
        let user = RolloutUser(language: userPreferedLanguage, country: DeviceLocale.country(of: userCurrentLocale))
        begin(configuration, user, draws)
    }

    /// Uses a configuration file's contents from now on: a property list in XML or binary form, or JSON.
    ///
    /// - Throws: ``RolloutSourceError/unusable(_:)`` if the contents have none of these formats. The configuration then
    ///   stays unchanged.
    open func setup(withData data: Data) throws {
        let configuration = try RolloutConfiguration(checking: Array(data), log: services.log.ofThisModule)
        begin({ configuration }, services.user, services.draws)
    }

    /// Uses a configuration file from now on: a property list in XML or binary form, or JSON.
    ///
    /// - Throws: ``RolloutSourceError`` if the file cannot be read, has none of these formats, or is larger than 1 MiB.
    ///   The configuration then stays unchanged.
    open func setup(withContentsOfFile path: String) throws {
        let limit = RolloutSourceOptions().maximumSize
        try setup(withData: Data(try RolloutSourceError.contents(ofFile: path, limit: limit)))
    }

    /// Uses the last configuration that a source has loaded, from now on. Until it has loaded one, every experiment
    /// gives the caller's default.
    open func setup(with source: RolloutConfigurationSource) {
        begin({ source.configuration }, services.user, services.draws)
    }

    private func begin(_ dictionary: [AnyHashable: Any]?, _ user: RolloutUser, _ draws: DrawStorage) {
        let configuration = dictionary.map { RolloutConfiguration(untyped: $0, log: services.log.ofThisModule) }
        begin({ configuration }, user, draws)
    }

    private func begin(
        _ configuration: @escaping @Sendable () -> RolloutConfiguration?, _ user: RolloutUser, _ draws: DrawStorage
    ) {
        let draws = DrawKeeper(storage: draws, random: services.random, log: services.log.ofThisModule)
        state.withLock { $0 = Setup(configuration: configuration, user: user, draws: draws) }
    }

    /// The warnings about the current configuration, each with the names of the experiment and the key.
    public var warnings: [String] {
        state.withLock { $0 }?.configuration()?.warnings.map(\.description) ?? []
    }

    // MARK: Variants

    /// Returns the variant that this device gets in an experiment.
    ///
    /// - Parameters:
    ///   - experimentId: The experiment's name. Nil matches no experiment.
    ///   - defaultResult: The value that is returned if there is no such experiment, a filter excludes the user, or no
    ///     variant has a positive weight.
    /// - Returns: The experiment's name, `_`, and the variant's name; or `defaultResult`.
    open func variant(byExperimentId experimentId: String!, defaultResult: String!) -> String! {
        variant(byExperimentId: experimentId, defaultResult: defaultResult, customConditions: nil)
    }

    /// Returns the variant that this device gets in an experiment with a custom condition.
    ///
    /// - Parameters:
    ///   - experimentId: The experiment's name. Nil matches no experiment.
    ///   - defaultResult: The value that is returned if there is no such experiment, the condition is false, a filter
    ///     excludes the user, or no variant has a positive weight.
    ///   - customConditions: Returns whether the user takes part; nil means yes. Called once, before the filters, if
    ///     there is such an experiment. False also deletes the draw, so that a new number is drawn when the condition
    ///     becomes true.
    /// - Returns: The experiment's name, `_`, and the variant's name; or `defaultResult`.
    open func variant(
        byExperimentId experimentId: String!, defaultResult: String!, customConditions: (() -> Bool)!
    ) -> String! {
        guard let experimentId, let setup = state.withLock({ $0 }), let configuration = setup.configuration() else {
            return defaultResult
        }
        let (variant, reason) = decide(experimentId, configuration, setup, customConditions)
        let name = variant?.debugDescription ?? "the default"
        services.log.ofThisModule(.debug, "experiment \(experimentId.debugDescription): \(name), \(reason)")
        return variant.map { "\(experimentId)_\($0)" } ?? defaultResult
    }

    /// The variant of an experiment, or nil for the default, and the reason.
    private func decide(
        _ name: String, _ configuration: RolloutConfiguration, _ setup: Setup, _ condition: (() -> Bool)?
    ) -> (variant: String?, reason: String) {
        switch configuration.entries[name] {
        case .unusable: return (nil, "because the experiment is not valid")
        case nil:
            setup.draws.forget(name)
            return (nil, "because the configuration has no such experiment")
        case .usable(let experiment):
            if let condition, !condition() {
                setup.draws.forget(name)
                return (nil, "because the custom condition is false")
            }
            guard experiment.admits(setup.user) else {
                warn(name, experiment.unknownFilters(for: setup.user))
                return (nil, "because a filter excludes the user")
            }
            let variant = setup.draws.variant(of: name, in: experiment)
            return (variant, variant == nil ? "because no variant has any weight" : "by the draw of this device")
        }
    }

    /// Warns once of each experiment whose filters depend on something that is unknown.
    private func warn(_ experimentID: String, _ unknown: [String]) {
        guard !unknown.isEmpty, reported.withLock({ $0.insert(experimentID).inserted }) else { return }
        let names = unknown.joined(separator: " and ")
        services.log.ofThisModule(
            .warning,
            "the \(names) of this device is unknown, so experiment \(experimentID.debugDescription), which has "
                + "a filter for it, gives the default; set \(names) of RolloutServices, or LANG in the environment, "
                + "such as en_US.UTF-8")
    }

    /// Deletes the draw of an experiment, so that the next call draws again. Does nothing if there is no draw.
    open func removeExperimentDrawIfExisted(_ experimentId: String!) {
        guard let experimentId, let setup = state.withLock({ $0 }) else { return }
        setup.draws.forget(experimentId)
    }
}

/// A device's draw in an experiment, in the form of the vendor's library. This module neither takes nor returns one;
/// the class exists for programs that use it themselves.
open class ADRolloutManagerDrawInstance: NSObject {
    /// The experiment's name, `_`, and the variant's name.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var chosenVariant: String!
    /// The random number, above 0 and at most 1.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var randomNumber: NSNumber!

    /// Creates a draw without values.
    public override init() { super.init() }
}
