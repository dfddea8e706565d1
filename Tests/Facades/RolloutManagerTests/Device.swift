/// A device with its stored draws, random numbers and log. Managers are created per launch.
final class Device: Sendable {
    let draws: DrawStorage
    let chance: Chance
    let log = MemoryLog(level: .warning)

    init(_ draws: DrawStorage = .memory, drawing numbers: Double...) {
        self.draws = draws
        chance = Chance(numbers)
    }

    /// Launches the program with a configuration.
    func launch(
        _ configuration: [AnyHashable: Any]?, language: String? = "en-US", country: String? = "US"
    ) -> ADRolloutManager {
        let manager = ADRolloutManager(services: services(language: language, country: country))
        manager.setup(withConfiguration: configuration)
        return manager
    }

    /// The result of an experiment after a new launch; `none` is the default.
    func variant(
        _ experiment: String = "exp", in configuration: [AnyHashable: Any]?, language: String? = "en-US",
        country: String? = "US"
    ) -> String {
        launch(configuration, language: language, country: country).variant(
            byExperimentId: experiment, defaultResult: "none")
    }

    func services(language: String? = "en-US", country: String? = "US") -> RolloutServices {
        var services = RolloutServices()
        services.draws = draws
        services.random = chance
        services.log = log
        services.language = language
        services.country = country
        return services
    }

    /// The logged messages.
    var warnings: [String] { log.entries.map(\.message) }
}

/// A random source with given draws, then 0.5 forever. Counts its calls.
final class Chance: RandomSource {
    private let state: Locked<(numbers: [Double], count: Int)>

    init(_ numbers: [Double]) { state = Locked((numbers, 0)) }

    var count: Int { state.withLock { $0.count } }

    func next() -> UInt64 {
        let number = state.withLock { state in
            state.count += 1
            return state.numbers.isEmpty ? 0.5 : state.numbers.removeFirst()
        }
        // In the middle of the range of this draw, which is one of a million.
        return UInt64((number * 1_000_000 - 0.5) / 1_000_000 * 0x1p64)
    }
}

/// A configuration with one experiment, `exp`.
func experiment(_ variants: [String: Any], _ settings: [String: Any]? = nil) -> [AnyHashable: Any] {
    var experiment: [String: Any] = ["Variants": variants]
    experiment["Settings"] = settings
    return ["exp": experiment]
}

/// User defaults that are removed with the test.
final class OwnDefaults {
    let name = "turnout-rollout-\(UUID().uuidString)"
    let defaults: UserDefaults

    init() { defaults = UserDefaults(suiteName: name) ?? .standard }
    deinit {
        defaults.removePersistentDomain(forName: name)
        #if SQLite
            try? FileManager.default.removeItem(atPath: ProgramStorage.directory(ofSuite: name))
        #endif
    }
}

/// A directory that is removed with the test.
final class OwnDirectory: Sendable {
    let path = NSTemporaryDirectory() + "turnout-rollout-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }
}

/// The page's dictionary, without its surplus brace.
var pageConfiguration: [AnyHashable: Any] {
    [
        "experiment_01": [
            "Settings": ["is_sticky": true, "supported_countries": "US,IL", "supported_languages": "en,he"],
            "Variants": ["variant_01": 70, "variant_02": 30],
        ],
        "experiment_02": [
            "Settings": ["is_sticky": false, "supported_languages": "en,he"],
            "Variants": ["variant_01": 0, "variant_02": 100],
        ],
    ]
}
