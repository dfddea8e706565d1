public import Foundation

/// Creates clients whose datafile, events and assignments persist across launches.
///
/// ```swift
/// let manager = OPTLYManager(builder: OPTLYManagerBuilder { $0?.sdkKey = "…" })
/// let client = manager?.initialize()
/// ```
///
/// Defaults for services that the builder does not set: an ``OPTLYDatafileManagerDefault``, which downloads the
/// datafile immediately, an ``OPTLYEventDispatcherDefault`` and an ``OPTLYUserProfileServiceDefault``.
open class OPTLYManager: OPTLYManagerBase, OPTLYManagerProtocol {
    /// Creates a manager. Returns nil if the builder is nil.
    public init?(builder: OPTLYManagerBuilder?) {
        guard let builder = Self.checked(builder) else { return nil }
        let logger = builder.logger ?? OPTLYLoggerDefault()
        super.init(builder, logger)
        datafileManager = builder.datafileManager ?? make { standardDatafileManager() }
        eventDispatcher =
            builder.eventDispatcher
            ?? make {
                OPTLYEventDispatcherDefault {
                    $0?.logger = logger
                    $0?.eventDispatcherDispatchInterval = Int(exactly: builder.eventDispatchInterval.rounded(.up)) ?? 0
                }
            }
        userProfileService = builder.userProfileService ?? OPTLYUserProfileServiceDefault { $0?.logger = logger }
    }

    /// Creates a manager configured by a block.
    public convenience init?(_ block: OPTLYManagerBuilderBlock) { self.init(builder: .init(block: block)) }

    private func standardDatafileManager() -> OPTLYDatafileManagerDefault? {
        OPTLYDatafileManagerDefault {
            $0?.datafileConfig = datafileConfig
            $0?.logger = logger
            $0?.errorHandler = errorHandler
        }
    }
}

/// Creates clients that persist nothing.
///
/// Defaults for services that the builder does not set: an ``OPTLYDatafileManagerBasic``, an
/// ``OPTLYEventDispatcherBasic`` and an ``OPTLYUserProfileServiceNoOp``.
open class OPTLYManagerBasic: OPTLYManagerBase, OPTLYManagerProtocol {
    /// Creates a manager. Returns nil if the builder is nil.
    public init?(builder: OPTLYManagerBuilder?) {
        guard let builder = Self.checked(builder) else { return nil }
        super.init(builder, builder.logger ?? OPTLYLoggerDefault())
        datafileManager = builder.datafileManager ?? make { OPTLYDatafileManagerBasic() }
        eventDispatcher = builder.eventDispatcher ?? make { OPTLYEventDispatcherBasic() }
        userProfileService = builder.userProfileService ?? OPTLYUserProfileServiceNoOp()
    }

    /// Creates a manager configured by a block.
    public convenience init?(_ block: OPTLYManagerBuilderBlock) { self.init(builder: .init(block: block)) }
}

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
