/// How often flags were decided, as far as the server counts it.
struct FlagDecisions: Sendable {
    struct Count: Sendable {
        let sdkKey: String
        /// Nil for decisions without one.
        let variation: String?
        /// The decisions of the last 24 hours.
        let count: Int
        /// The time of the last one, in milliseconds since 1970.
        let last: Int64
    }

    /// Since when decisions are counted, in milliseconds since 1970.
    let since: Int64
    /// The counts by flag.
    let counts: [String: [Count]]

    /// The counts of the server.
    init(_ usage: FlagUsage) {
        since = usage.since
        counts = usage.sdkKeys.reduce(into: [:]) { counts, sdkKey in
            for (flag, variations) in usage.usage(sdkKey: sdkKey) {
                counts[flag, default: []] += variations.map { variation, usage in
                    Count(
                        sdkKey: sdkKey, variation: variation.isEmpty ? nil : variation, count: usage.count24h,
                        last: usage.lastSeen)
                }
            }
        }
    }

    /// When a flag was decided last; nil if it was not while decisions are counted.
    func last(of flag: String) -> Int64? { counts[flag]?.map(\.last).max() }
}
