import Foundation

/// Settings for contextual bandits (CMAB), whose variations a prediction service chooses.
public struct CmabConfig: Sendable {
    /// The maximum number of cached predictions; 0 or less disables the cache.
    package let cacheSize: Int
    /// How long a prediction is cached, in seconds; always positive.
    package let cacheTimeoutInSecs: Int
    /// The URL of the prediction service; `%@` stands for the rule's id.
    package let predictionEndpoint: String

    package static let standardCacheTimeoutInSecs = 30 * 60
    package static let standardEndpoint = "https://prediction.cmab.optimizely.com/predict/%@"

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - cacheSize: The maximum number of cached predictions; 0 or less disables the cache. Default: 100.
    ///   - cacheTimeoutInSecs: How long a prediction is cached, in seconds; 0 or less means the default. Default: 1800.
    ///   - predictionEndpoint: The URL of the prediction service, with `%@` in place of the rule's id. Nil or a blank
    ///     string means the vendor's service. Default: nil.
    public init(cacheSize: Int = 100, cacheTimeoutInSecs: Int = 30 * 60, predictionEndpoint: String? = nil) {
        self.cacheSize = cacheSize
        self.cacheTimeoutInSecs = cacheTimeoutInSecs > 0 ? cacheTimeoutInSecs : Self.standardCacheTimeoutInSecs
        let endpoint = predictionEndpoint?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        self.predictionEndpoint = endpoint.isEmpty ? Self.standardEndpoint : endpoint
    }
}
