import Foundation

/// The codes of errors, whose domain is `com.optimizely.optimizelySDK`.
public enum OPTLYErrorTypes: UInt, Sendable {
    /// A datafile cannot be used.
    case datafileInvalid = 0
    /// Data cannot be read.
    case dataUnknown = 1
    /// A configuration cannot be used.
    case configInvalid = 2
    /// A logger cannot be used.
    case loggerInvalid = 3
    /// An error handler cannot be used.
    case errorHandlerInvalid = 4
    /// A builder is missing or lacks something.
    case builderInvalid = 5
    /// The database failed.
    case database = 6
    /// The data store failed.
    case dataStore = 7
    /// A user profile cannot be used.
    case userProfile = 8
    /// An event could not be dispatched.
    case eventDispatch = 9
    /// An event could not be tracked.
    case eventTrack = 10
    /// A user got no variation.
    case userActivate = 11
    /// A server did not answer as it should.
    case httpRequestManager = 12

    /// An error of this kind.
    func error(_ message: String) -> NSError {
        NSError(
            domain: "com.optimizely.optimizelySDK", code: Int(rawValue),
            userInfo: [NSLocalizedDescriptionKey: message])
    }
}
