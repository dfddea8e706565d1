import Foundation

/// The codes of errors, whose domain is `com.optimizely.optimizelySDK`.
public enum OPTLYErrorTypes: UInt, Sendable {
    /// What a client is made of cannot be used.
    case datafileInvalid = 0, dataUnknown, configInvalid, loggerInvalid, errorHandlerInvalid, builderInvalid
    /// What should be kept cannot be read or written.
    case database = 6, dataStore, userProfile
    /// An event was not dispatched or tracked, or a user got no variation.
    case eventDispatch = 9, eventTrack, userActivate
    /// A server did not answer as it should.
    case httpRequestManager = 12

    /// An error of this kind.
    func error(_ message: String) -> NSError {
        NSError(
            domain: "com.optimizely.optimizelySDK", code: Int(rawValue),
            userInfo: [NSLocalizedDescriptionKey: message])
    }
}
