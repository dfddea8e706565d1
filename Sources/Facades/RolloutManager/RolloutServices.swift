import Foundation
public import TurnoutClient
import TurnoutRollouts

/// The services of a manager. Each has a default; set properties before creating the manager.
///
/// ```swift
/// var services = RolloutServices()
/// services.country = "CA"
/// let manager = ADRolloutManager(services: services)
/// ```
public struct RolloutServices: Sendable {
    /// The storage for draws. Default: a file of the program.
    public var draws: DrawStorage = .ofThisProgram
    /// The source of random numbers; each draw takes one. Default: the system's random numbers.
    public var random: any RandomSource = .system
    /// The log. Default: standard error, for warnings and errors.
    public var log: any Log = .standardError
    /// The user's language, such as `en-GB`; nil: unknown. Default: the first preferred one; on Linux, that of
    /// `LC_ALL`, `LC_MESSAGES` or `LANG`.
    public var language: String? = DeviceLocale.language
    /// The user's country, such as `US`; nil: unknown. Default: the region of the current locale; on Linux, that of the
    /// same variables.
    public var country: String? = DeviceLocale.country

    /// Creates the standard services.
    public init() {}

    var user: RolloutUser { RolloutUser(language: language, country: country) }
}

extension Log {
    /// The log, with the name of this module in each entry.
    var ofThisModule: NamedLog { named("RolloutManager") }
}

/// The language and country of the device's user; nil if they are unknown.
package enum DeviceLocale {
    package static var language: String? { current.language }

    package static var country: String? { current.country }

    private static var current: (language: String?, country: String?) {
        #if canImport(Darwin)
            (Foundation.Locale.preferredLanguages.first, country(of: .current))
        #else
            // Foundation does not read these, and gives `en-001` to every program.
            posix(ProcessInfo.processInfo.environment)
        #endif
    }

    /// The country of a locale; nil if it is the world, `001`, the region of a locale without a country.
    static func country(of locale: Foundation.Locale?) -> String? {
        locale?.region.flatMap { $0.identifier == "001" ? nil : $0.identifier }
    }

    /// The locale in the environment, such as `en_US.UTF-8`; nil if it is not set.
    package static func posix(_ environment: [String: String]) -> (language: String?, country: String?) {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        let name = values.first { !$0.isEmpty }?.prefix { $0 != "." && $0 != "@" }
        // `C` and `POSIX` are not languages of a user.
        guard let name, name != "C", name != "POSIX" else { return (nil, nil) }
        let parts = name.split(separator: "_", maxSplits: 1)
        return (parts.first.map(String.init), parts.count > 1 ? String(parts[1]) : nil)
    }
}
