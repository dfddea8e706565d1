/// The data in every event about the program and its machine.
package struct SegmentEventOrigin: Sendable, Equatable {
    /// The name of the client.
    package var source: String
    /// The version of the client.
    package var sourceVersion: String
    /// The operating system, such as `Linux`.
    package var os: String
    package var osVersion: String
    /// `Phone`, `Tablet`, `Smart TV`, `Watch`, `PC` or `Other`.
    package var deviceType: String
    /// The model of the device; `N/A` where there is none.
    package var model: String

    package init(
        source: String, sourceVersion: String, os: String, osVersion: String, deviceType: String = "Other",
        model: String = "N/A"
    ) {
        self.source = source
        self.sourceVersion = sourceVersion
        self.os = os
        self.osVersion = osVersion
        self.deviceType = deviceType
        self.model = model
    }

    /// This program on this machine.
    package static func here(source: String, sourceVersion: String) -> SegmentEventOrigin {
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
        return SegmentEventOrigin(
            source: source, sourceVersion: sourceVersion, os: os, osVersion: OperatingSystem.version,
            deviceType: deviceType)
    }

    /// Adds the common data to an event's own, which takes precedence. The service detects duplicates by the id.
    package func adding(to data: [String: JSONValue], id: EventID) -> [String: JSONValue] {
        let common: [String: JSONValue] = [
            "idempotence_id": .string(id.description),
            "data_source_type": .string("sdk"),
            "data_source": .string(source),
            "data_source_version": .string(sourceVersion),
            "os": .string(os),
            "os_version": .string(osVersion),
            "device_type": .string(deviceType),
            "model": .string(model),
        ]
        return common.merging(data) { $1 }
    }
}
