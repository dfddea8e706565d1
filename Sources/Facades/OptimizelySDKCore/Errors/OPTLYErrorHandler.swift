import Foundation

/// A handler that receives errors. Called from any thread.
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
    open func handleError(_ error: any Error) { logger.logMessage(error.localizedDescription, with: .error) }

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
