import Foundation
package import TurnoutClient

/// What the ODP classes work with. A client hands it to its manager; without one, nothing reaches a network.
package struct OdpServices: Sendable {
    /// Sends requests; nil: events wait, and segments cannot be fetched.
    package var transport: (any Transport)?
    /// Measures pauses and the age of what is kept.
    package var clock: any Clock<Duration> = .continuous
    /// Makes the ids of events.
    package var random: any RandomSource = .system
    /// Where trouble is reported.
    package var log: any Log = .standardError
    /// What events tell about this program and machine.
    package var origin = SegmentEventOrigin.here()

    /// Services without a transport; change what you need.
    package init() {}
}

extension SegmentEventOrigin {
    /// This program on this machine.
    package static func here(source: String = "swift-sdk", sourceVersion: String = "5.4.2") -> SegmentEventOrigin {
        #if os(macOS)
            let (os, deviceType) = ("macOS", "PC")
        #elseif os(iOS)
            let (os, deviceType) = ("iOS", "Phone")
        #elseif os(tvOS)
            let (os, deviceType) = ("tvOS", "Smart TV")
        #elseif os(watchOS)
            let (os, deviceType) = ("watchOS", "Watch")
        #elseif os(Linux)
            let (os, deviceType) = ("Linux", "Other")
        #else
            let (os, deviceType) = ("Other", "Other")
        #endif
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return SegmentEventOrigin(
            source: source, sourceVersion: sourceVersion, os: os,
            osVersion: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
            deviceType: deviceType)
    }
}

extension Duration {
    /// A time limit from settings: nil is the standard, zero and less the limit that systems set by themselves.
    static func odpLimit(_ seconds: Int?) -> Duration {
        guard let seconds else { return .seconds(10) }
        return .seconds(seconds > 0 ? seconds : 60)
    }
}
