import Foundation

/// Settings for contextual bandits, whose variations a prediction service chooses.
public struct CmabConfig: Sendable {
    /// How many predictions are cached; 0 or less: none.
    package let cacheSize: Int
    /// How long a prediction is cached; never 0 or less.
    package let cacheTimeoutInSecs: Int
    /// Where predictions come from; `%@` stands for the rule's id.
    package let predictionEndpoint: String

    package static let standardCacheTimeoutInSecs = 30 * 60
    package static let standardEndpoint = "https://prediction.cmab.optimizely.com/predict/%@"

    /// Creates settings; each has a default.
    ///
    /// - Parameters:
    ///   - cacheSize: How many predictions are cached; 0 or less: none. Default: 100.
    ///   - cacheTimeoutInSecs: How long a prediction is cached; 0 or less means the default. Default: 1800.
    ///   - predictionEndpoint: Where predictions come from, with `%@` in place of the rule's id. Nil and blank mean the
    ///     default, the vendor's service.
    public init(cacheSize: Int = 100, cacheTimeoutInSecs: Int = 30 * 60, predictionEndpoint: String? = nil) {
        self.cacheSize = cacheSize
        self.cacheTimeoutInSecs = cacheTimeoutInSecs > 0 ? cacheTimeoutInSecs : Self.standardCacheTimeoutInSecs
        let endpoint = predictionEndpoint?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        self.predictionEndpoint = endpoint.isEmpty ? Self.standardEndpoint : endpoint
    }
}
