import Foundation
import TurnoutClient

/// A handler that receives errors.
///
/// Clients call it on the thread of the call that failed, before that call returns; managers and the standard datafile
/// manager call it from any thread. Several calls may run at once. Each error is also logged. An activation without a
/// variation is also reported as an error (``OPTLYErrorTypes/userActivate``), although it is often expected.
public protocol OPTLYErrorHandlerProtocol: AnyObject {
    /// Receives an error. Errors of this library have a code of ``OPTLYErrorTypes``.
    func handleError(_ error: any Error)

    #if canImport(ObjectiveC)
        /// Receives an exception. This library never raises one.
        func handle(_ exception: NSException)
    #endif
}

/// Prints errors with `NSLog`.
open class OPTLYErrorHandlerDefault: NSObject, OPTLYErrorHandlerProtocol {
    private let logger = OPTLYLoggerDefault()

    /// Prints an error.
    open func handleError(_ error: any Error) { logger.log()(.error, error.localizedDescription) }

    #if canImport(ObjectiveC)
        /// Prints an exception.
        open func handle(_ exception: NSException) { logger.logMessage(exception.description, with: .critical) }
    #endif
}

/// Does nothing. The default.
open class OPTLYErrorHandlerNoOp: NSObject, OPTLYErrorHandlerProtocol {
    /// Does nothing.
    open func handleError(_ error: any Error) {}

    #if canImport(ObjectiveC)
        /// Does nothing.
        open func handle(_ exception: NSException) {}
    #endif
}

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
