import Foundation

/// The language and country of the device's user.
package enum DeviceLocale {
    package static var language: String? { outside.language ?? Foundation.Locale.preferredLanguages.first }

    package static var country: String? { outside.country ?? Foundation.Locale.current.region?.identifier }

    /// Settings of the system that Foundation does not read.
    private static var outside: (language: String?, country: String?) {
        #if canImport(Darwin)
            (nil, nil)
        #else
            posix(ProcessInfo.processInfo.environment)
        #endif
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
