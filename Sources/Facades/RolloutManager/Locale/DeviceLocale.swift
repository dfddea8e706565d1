import Foundation

/// The language and country of who uses this device.
package enum DeviceLocale {
    package static var language: String? { outside.language ?? Foundation.Locale.preferredLanguages.first }

    package static var country: String? { outside.country ?? Foundation.Locale.current.region?.identifier }

    /// What the system's settings say, where Foundation does not look.
    private static var outside: (language: String?, country: String?) {
        #if canImport(Darwin)
            (nil, nil)
        #else
            posix(ProcessInfo.processInfo.environment)
        #endif
    }

    /// What the environment says, as in `en_US.UTF-8`; nil: nothing.
    package static func posix(_ environment: [String: String]) -> (language: String?, country: String?) {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        let name = values.first { !$0.isEmpty }?.prefix { $0 != "." && $0 != "@" }
        // The locale of programs, which nobody speaks.
        guard let name, name != "C", name != "POSIX" else { return (nil, nil) }
        let parts = name.split(separator: "_", maxSplits: 1)
        return (parts.first.map(String.init), parts.count > 1 ? String(parts[1]) : nil)
    }
}
