import Foundation

/// The error codes of the domain `com.optimizely.optimizelySDK`.
public enum OPTLYErrorTypes: UInt, Sendable {
    /// A part of a client's configuration is invalid.
    case datafileInvalid = 0, dataUnknown, configInvalid, loggerInvalid, errorHandlerInvalid, builderInvalid
    /// Stored data cannot be read or written.
    case database = 6, dataStore, userProfile
    /// An event was not dispatched or not tracked, or a user got no variation.
    case eventDispatch = 9, eventTrack, userActivate
    /// A request failed, or the response was not successful.
    case httpRequestManager = 12

    static let domain = "com.optimizely.optimizelySDK"

    /// An error of this kind.
    func error(_ message: String) -> NSError {
        NSError(
            domain: Self.domain, code: Int(rawValue),
            userInfo: [NSLocalizedDescriptionKey: message])
    }
}
