/// Settings of a client that have little to do with flags: segments, device ids, and the client's name in events.
///
/// The settings belong to the client that they are given to; no other client changes.
public struct OptimizelySdkSettings: Sendable {
    package let segmentsCacheSize: Int
    package let segmentsCacheTimeoutInSecs: Int
    package let timeoutForSegmentFetchInSecs: Int
    package let timeoutForOdpEventInSecs: Int
    package let disableOdp: Bool
    package let enableVuid: Bool
    package let sdkName: String?
    package let sdkVersion: String?

    /// Creates settings; each has a default.
    ///
    /// - Parameters:
    ///   - segmentsCacheSize: How many users' segments are cached; 0 or less: none. Default: 100.
    ///   - segmentsCacheTimeoutInSecs: How long they are; 0 or less: for ever. Default: 600.
    ///   - timeoutForSegmentFetchInSecs: How long fetching segments may take; 0 or less: as long as the system lets it.
    ///     Default: 10.
    ///   - timeoutForOdpEventInSecs: How long sending an ODP event may take; 0 or less: as long as the system lets it.
    ///     Default: 10.
    ///   - disableOdp: Whether ODP is off. Default: `false`.
    ///   - enableVuid: Whether the device gets an id of its own. Default: `false`.
    ///   - sdkName: The client's name in events. Default: the name of this library.
    ///   - sdkVersion: The client's version in events. Default: the version of this library.
    public init(
        segmentsCacheSize: Int = 100, segmentsCacheTimeoutInSecs: Int = 600, timeoutForSegmentFetchInSecs: Int = 10,
        timeoutForOdpEventInSecs: Int = 10, disableOdp: Bool = false, enableVuid: Bool = false,
        sdkName: String? = nil, sdkVersion: String? = nil
    ) {
        self.segmentsCacheSize = segmentsCacheSize
        self.segmentsCacheTimeoutInSecs = segmentsCacheTimeoutInSecs
        self.timeoutForSegmentFetchInSecs = timeoutForSegmentFetchInSecs
        self.timeoutForOdpEventInSecs = timeoutForOdpEventInSecs
        self.disableOdp = disableOdp
        self.enableVuid = enableVuid
        // An empty name is none.
        self.sdkName = sdkName.flatMap { $0.isEmpty ? nil : $0 }
        self.sdkVersion = sdkVersion.flatMap { $0.isEmpty ? nil : $0 }
    }
}
