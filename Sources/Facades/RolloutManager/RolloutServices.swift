public import TurnoutClient
import TurnoutRollouts

/// What a manager works with. Everything has a default; change what you need before the manager is made.
///
/// ```swift
/// var services = RolloutServices()
/// services.country = "CA"
/// let manager = ADRolloutManager(services: services)
/// ```
public struct RolloutServices: Sendable {
    /// Where draws are kept. Default: in a file of the program.
    public var draws: DrawStorage = .ofThisProgram
    /// Where chance comes from. Each draw takes one number. Default: the system's random numbers.
    public var random: any RandomSource = .system
    /// Where trouble is reported. Default: warnings and errors to the standard error output.
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
