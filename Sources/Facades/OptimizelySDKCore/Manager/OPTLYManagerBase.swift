public import Foundation
import Optimizely
import TurnoutClient

/// What managers have in common: three ways to make a client, and the parts that clients are made of.
///
/// Parts may be replaced; that counts from the next client on. Each `initialize` makes a new client and leaves those
/// that were made before as they are.
open class OPTLYManagerBase: NSObject {
    /// The id of the project.
    open var projectId: String?
    /// The key of the environment.
    open var sdkKey: String?
    /// Which datafile is fetched.
    open var datafileConfig: OPTLYDatafileConfig?
    /// The datafile that comes with the program.
    open var datafile: Data?
    /// Fetches and keeps datafiles.
    open var datafileManager: (any OPTLYDatafileManager)?
    /// Is told of errors.
    open var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Sends events.
    open var eventDispatcher: (any OPTLYEventDispatcher)?
    /// Receives messages.
    open var logger: (any OPTLYLogger)?
    /// Remembers assignments.
    open var userProfileService: (any OPTLYUserProfileService)?

    private let legacyBucketing: Bool
    private let world = World.current
    private let current = Locked<OPTLYClient?>(nil)

    init(_ builder: OPTLYManagerBuilder, _ logger: any OPTLYLogger) {
        projectId = builder.projectId
        sdkKey = builder.sdkKey
        datafileConfig = OPTLYDatafileConfig(projectId: builder.projectId, withSDKKey: builder.sdkKey)
        datafile = builder.datafile
        errorHandler = builder.errorHandler ?? OPTLYErrorHandlerNoOp()
        self.logger = logger
        legacyBucketing = builder.legacyBucketing
    }

    static func checked(_ builder: OPTLYManagerBuilder?) -> OPTLYManagerBuilder? {
        if builder == nil { OPTLYLoggerDefault().logMessage("there is no manager without a builder", with: .error) }
        return builder
    }

    // MARK: Making clients

    /// Makes a client with the datafile that is at hand: the one that the datafile manager keeps, or else the one that
    /// comes with the program. Waits for no network.
    ///
    /// The kept one is passed over if it cannot be used, or is of another project than the one that comes along.
    ///
    /// - Returns: The client; a dummy if there is no datafile that can be used. Never nil.
    @discardableResult
    open func initialize() -> OPTLYClient? {
        let start = ManagerStart(self)
        start.withWhatIsAtHand()
        return finish(start)
    }

    /// Makes a client with this datafile, and no other.
    ///
    /// - Returns: The client; a dummy if the datafile cannot be used. Never nil.
    @discardableResult
    open func initialize(withDatafile datafile: Data) -> OPTLYClient? {
        finish(ManagerStart(self, with: datafile))
    }

    /// Asks for the newest datafile, and then makes a client with it, or with the one that is at hand.
    ///
    /// - Parameter callback: Called once, from any thread. An error tells why the newest datafile is not used; there
    ///   may be a good client all the same. Without a datafile that can be used the client is a dummy, never nil.
    open func initialize(callback: (((any Error)?, OPTLYClient?) -> Void)? = nil) {
        let call = Handed((manager: self, start: ManagerStart(self), callback: callback))
        Task(executorPreference: DispatchExecutor.waitedFor) {
            await call.value.start.withNewest()
            // Callers may wait for something.
            BlockingCall.start {
                let (manager, start, callback) = call.value
                let client = manager.finish(start)
                callback?(start.failure, client)
            }
        }
    }

    /// The client that was made last; before that a dummy, which is never the same.
    @discardableResult
    open func getOptimizely() -> OPTLYClient? { current.withLock { $0 } ?? OPTLYClient(parts.core(), parts) }

    private func finish(_ start: ManagerStart) -> OPTLYClient {
        let client = OPTLYClient(start.core, start.parts)
        client.defaultAttributes = [
            OptimizelyAppVersionKey: appVersion, OptimizelyDeviceModelKey: deviceModel,
            OptimizelyOSVersionKey: osVersion, OptimizelySDKVersionKey: clientVersion,
        ]
        let former = current.withLock { current in
            defer { current = client }
            return current
        }
        withExtendedLifetime(former) {}
        return client
    }

    var parts: ClientParts {
        ClientParts(
            logger: logger ?? OPTLYLoggerDefault(), errorHandler: errorHandler ?? OPTLYErrorHandlerNoOp(),
            eventDispatcher: eventDispatcher ?? OPTLYEventDispatcherNoOp(), userProfileService: userProfileService,
            clientEngine: clientEngine, clientVersion: clientVersion, legacyBucketing: legacyBucketing, world: world)
    }
}
