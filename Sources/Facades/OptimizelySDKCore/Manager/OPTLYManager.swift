import Foundation

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
