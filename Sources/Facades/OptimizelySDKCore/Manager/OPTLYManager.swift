import Foundation

/// Makes clients whose datafile, events and assignments outlast the program.
///
/// ```swift
/// let manager = OPTLYManager(builder: OPTLYManagerBuilder { $0?.sdkKey = "…" })
/// let client = manager?.initialize()
/// ```
///
/// What its builder does not bring: an ``OPTLYDatafileManagerDefault``, which asks for the datafile at once, an
/// ``OPTLYEventDispatcherDefault`` and an ``OPTLYUserProfileServiceDefault``.
open class OPTLYManager: OPTLYManagerBase, OPTLYManagerProtocol {
    /// Creates a manager; nil if there is no builder.
    public init?(builder: OPTLYManagerBuilder?) {
        guard let builder = Self.checked(builder) else { return nil }
        let logger = builder.logger ?? OPTLYLoggerDefault()
        super.init(builder, logger)
        datafileManager = builder.datafileManager ?? standardDatafileManager()
        eventDispatcher =
            builder.eventDispatcher
            ?? OPTLYEventDispatcherDefault {
                $0?.logger = logger
                $0?.eventDispatcherDispatchInterval = Int(exactly: builder.eventDispatchInterval.rounded(.up)) ?? 0
            }
        userProfileService = builder.userProfileService ?? OPTLYUserProfileServiceDefault { $0?.logger = logger }
    }

    /// Creates a manager, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYManagerBuilderBlock) { self.init(builder: .init(block: block)) }

    private func standardDatafileManager() -> OPTLYDatafileManagerDefault? {
        OPTLYDatafileManagerDefault {
            $0?.datafileConfig = datafileConfig
            $0?.logger = logger
            $0?.errorHandler = errorHandler
        }
    }
}

/// Makes clients that keep nothing.
///
/// What its builder does not bring: an ``OPTLYDatafileManagerBasic``, an ``OPTLYEventDispatcherBasic`` and an
/// ``OPTLYUserProfileServiceNoOp``.
open class OPTLYManagerBasic: OPTLYManagerBase, OPTLYManagerProtocol {
    /// Creates a manager; nil if there is no builder.
    public init?(builder: OPTLYManagerBuilder?) {
        guard let builder = Self.checked(builder) else { return nil }
        super.init(builder, builder.logger ?? OPTLYLoggerDefault())
        datafileManager = builder.datafileManager ?? OPTLYDatafileManagerBasic()
        eventDispatcher = builder.eventDispatcher ?? OPTLYEventDispatcherBasic()
        userProfileService = builder.userProfileService ?? OPTLYUserProfileServiceNoOp()
    }

    /// Creates a manager, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYManagerBuilderBlock) { self.init(builder: .init(block: block)) }
}
