// The names are those of the original.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

// The names of a client's default attributes.
#if os(tvOS)
    private let platform = "tvos"
#else
    private let platform = "ios"
#endif

/// The name of the default attribute for the program's version.
public let OptimizelyAppVersionKey = "optimizely_\(platform)_app_version"
/// The name of the default attribute for the device's model.
public let OptimizelyDeviceModelKey = "optimizely_\(platform)_device_model"
/// The name of the default attribute for the system's version.
public let OptimizelyOSVersionKey = "optimizely_\(platform)_os_version"
/// The name of the default attribute for the library's version.
public let OptimizelySDKVersionKey = "optimizely_\(platform)_sdk_version"
/// The prefix of bundled datafiles' names. No longer used for lookup.
public let OptimizelyBundleDatafilePrefix = "optimizely"
/// The file extension of bundled datafiles.
public let OptimizelyBundleDatafileFileTypeExtension = "json"

extension OPTLYManagerBase {
    /// The client name in events.
    public var clientEngine: String { "\(platform)-sdk" }
    /// The client version in events: that of the library with this interface.
    public var clientVersion: String { OPTLYClientSettings.standardVersion }
    /// The system's version, such as `17.2.0`.
    public var osVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }
    /// The version of the program; empty if unknown.
    public var appVersion: String {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    }
    /// The model of the device, such as `iPhone15,2`, or the kind of processor.
    public var deviceModel: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "" }
        return withUnsafeBytes(of: &system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
