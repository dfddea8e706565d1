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
