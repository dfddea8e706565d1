public import Foundation

/// A block that configures an ``OPTLYManagerBuilder``.
public typealias OPTLYManagerBuilderBlock = (OPTLYManagerBuilder?) -> Void

/// The settings of a manager.
open class OPTLYManagerBuilder: NSObject {
    /// The datafile bundled with the program, for starts without a usable datafile from the server. Default: nil.
    public var datafile: Data?
    /// The id of the project, whose primary environment's datafile is downloaded. Ignored if there is an SDK key.
    public var projectId: String?
    /// The SDK key of the environment whose datafile is downloaded.
    public var sdkKey: String?
    /// The maximum time that `initialize(callback:)` waits for the current datafile, in seconds. After that the client
    /// is created with the cached or bundled datafile, and the download continues for the next start. 0 or less means
    /// no limit but the datafile manager's. Default: 10.
    public var startTimeout: TimeInterval = 10
    /// The maximum time between two delivery attempts of the default dispatcher, in seconds. Default: 0, five minutes.
    public var eventDispatchInterval: TimeInterval = 0
    // Callers need not unwrap it, as in the original.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Downloads and caches datafiles. Default: nil, chosen by the manager.
    public var datafileManager: (any OPTLYDatafileManager)!
    /// Receives errors. Default: nil, an ``OPTLYErrorHandlerNoOp``.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Sends events. Default: nil, chosen by the manager.
    public var eventDispatcher: (any OPTLYEventDispatcher)?
    /// Receives log messages. Default: nil, an ``OPTLYLoggerDefault`` for messages up to `info`.
    public var logger: (any OPTLYLogger)?
    /// Stores assignments. Default: nil, chosen by the manager.
    public var userProfileService: (any OPTLYUserProfileService)?
    /// Whether users with non-ASCII ids are bucketed as by the Objective-C library, which differs from all other
    /// clients. Default: false.
    public var legacyBucketing = false
    /// Whether the manager's default datafile manager and event dispatcher accept plain `http` URLs for every host.
    /// Anything on the network path can then read and change what is sent. Default: false, plain `http` only for the
    /// local machine: `localhost`, `127.0.0.0/8` and `[::1]`.
    public var allowsInsecureHTTP = false

    /// Creates a builder and configures it with a block. Returns nil if the block sets neither `sdkKey` nor `projectId`
    /// to a valid key: not empty and without spaces.
    public init?(block: OPTLYManagerBuilderBlock) {
        super.init()
        block(self)
        guard OPTLYDatafileConfig(projectId: projectId, withSDKKey: sdkKey) != nil else { return nil }
    }
}
