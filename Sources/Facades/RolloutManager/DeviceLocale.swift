import Foundation

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
