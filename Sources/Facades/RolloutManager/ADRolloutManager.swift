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
/// A device draws a number once for each experiment; the weights divide the numbers among the variants. The draw is
/// kept, so the same device gets the same variant until somebody changes the experiment, and a sticky one even then.
/// Any thread may ask. Nothing here throws or traps: what a configuration gets wrong is a warning in the log and in
/// ``warnings``, and the experiment gives the caller's default.
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

    /// Creates a manager with the standard services. Before it is set up, everybody gets the default.
    public override init() {
        services = RolloutServices()
        super.init()
    }

    /// Creates a manager with other services.
    public init(services: RolloutServices) {
        self.services = services
        super.init()
    }

    // MARK: Setting up

    /// Decides by a configuration from now on, for the language and country of this device. Draws are kept in a file
    /// of the program; those that the vendor's library left in the standard user defaults are taken over.
    ///
    /// - Parameter configuration: Experiments by name, each a dictionary with `Variants` and maybe `Settings`. Nil:
    ///   everybody gets the default, and nobody's draw is forgotten.
    open func setup(withConfiguration configuration: [AnyHashable: Any]!) {
        begin(configuration, services.user, services.draws)
    }

    /// Decides by a configuration from now on, for a user who is described.
    ///
    /// - Parameters:
    ///   - configuration: As above.
    ///   - userDefaults: Keeps the draws, under the vendor's keys. The standard ones stand for the file of the program.
    ///     Nil: nothing is kept, and each call draws anew.
    ///   - userPreferedLanguage: The language, such as `en-GB`; only what is before the first hyphen counts. Nil:
    ///     unknown, so filters by language let nobody in.
    ///   - userCurrentLocale: Its region is the country. Nil: unknown, so filters by country let nobody in.
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
        let user = RolloutUser(language: userPreferedLanguage, country: userCurrentLocale?.region?.identifier)
        begin(configuration, user, draws)
    }

    /// Decides from now on by a file's contents: a property list in XML or binary, or JSON.
    ///
    /// - Throws: ``RolloutSourceError/unusable(_:)``, if it is none of them. Nothing changes then.
    open func setup(withData data: Data) throws {
        let configuration = try RolloutConfiguration(checking: Array(data), log: services.log)
        begin({ configuration }, services.user, services.draws)
    }

    /// Decides from now on by a file: a property list in XML or binary, or JSON.
    ///
    /// - Throws: ``RolloutSourceError``, if it cannot be read, is none of them or has more than 1 MiB. Nothing changes
    ///   then.
    open func setup(withContentsOfFile path: String) throws {
        let limit = RolloutSourceOptions().maximumSize
        try setup(withData: Data(try RolloutSourceError.contents(ofFile: path, limit: limit)))
    }

    /// Decides from now on by what a source has last loaded. Until it has loaded anything, everybody gets the default.
    open func setup(with source: RolloutConfigurationSource) {
        begin({ source.configuration }, services.user, services.draws)
    }

    private func begin(_ dictionary: [AnyHashable: Any]?, _ user: RolloutUser, _ draws: DrawStorage) {
        let configuration = dictionary.map { RolloutConfiguration(untyped: $0, log: services.log) }
        begin({ configuration }, user, draws)
    }

    private func begin(
        _ configuration: @escaping @Sendable () -> RolloutConfiguration?, _ user: RolloutUser, _ draws: DrawStorage
    ) {
        let draws = DrawKeeper(storage: draws, random: services.random, log: services.log)
        state.withLock { $0 = Setup(configuration: configuration, user: user, draws: draws) }
    }

    /// What is doubtful about the configuration, each with the names of the experiment and the key; empty: nothing.
    public var warnings: [String] {
        state.withLock { $0 }?.configuration()?.warnings.map(\.description) ?? []
    }

    // MARK: Asking

    /// Which variant this device gets in an experiment.
    ///
    /// - Parameters:
    ///   - experimentId: The experiment's name. Nil: there is none of that name.
    ///   - defaultResult: What is returned, as it is, if there is no such experiment, a filter keeps the user out, or
    ///     no variant has any weight.
    /// - Returns: The experiment's name, `_`, and the variant's name; or the default.
    open func variant(byExperimentId experimentId: String!, defaultResult: String!) -> String! {
        variant(byExperimentId: experimentId, defaultResult: defaultResult, customConditions: nil)
    }

    /// Which variant this device gets in an experiment that has a condition of the program's own.
    ///
    /// - Parameters:
    ///   - experimentId: As above.
    ///   - defaultResult: As above; also if the condition is false.
    ///   - customConditions: Whether the user takes part; nil: yes. Called once, before the filters, if there is such
    ///     an experiment. False also forgets the draw, so that the user is drawn again when it becomes true.
    /// - Returns: As above.
    open func variant(
        byExperimentId experimentId: String!, defaultResult: String!, customConditions: (() -> Bool)!
    ) -> String! {
        guard let experimentId, let setup = state.withLock({ $0 }), let configuration = setup.configuration() else {
            return defaultResult
        }
        switch configuration.entries[experimentId] {
        case .unusable: return defaultResult
        case nil:
            setup.draws.forget(experimentId)
            return defaultResult
        case .usable(let experiment):
            if let customConditions, !customConditions() {
                setup.draws.forget(experimentId)
                return defaultResult
            }
            guard experiment.admits(setup.user) else { return defaultResult }
            return setup.draws.variant(of: experimentId, in: experiment).map { "\(experimentId)_\($0)" }
                ?? defaultResult
        }
    }

    /// Forgets the draw of an experiment, so that the next call draws again. Without a draw it does nothing.
    open func removeExperimentDrawIfExisted(_ experimentId: String!) {
        guard let experimentId, let setup = state.withLock({ $0 }) else { return }
        setup.draws.forget(experimentId)
    }
}
