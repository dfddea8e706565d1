import Foundation

/// A block that configures an ``OPTLYEventDispatcherBuilder``.
public typealias OPTLYEventDispatcherBuilderBlock = (OPTLYEventDispatcherBuilder?) -> Void

/// The settings of an ``OPTLYEventDispatcherDefault``.
open class OPTLYEventDispatcherBuilder: NSObject {
    /// The maximum time between two delivery attempts, in seconds. Less than 0 becomes 0, with a warning. Default: 0,
    /// which means five minutes.
    public var eventDispatcherDispatchInterval = 0
    /// The maximum number of queued impressions, and of queued conversions; beyond it, the oldest tenth is dropped.
    /// Default: 0, which means 1,000.
    public var maxNumberOfEventsToSave = 0
    /// Receives log messages. Default: nil.
    public var logger: (any OPTLYLogger)?

    /// Creates a builder and configures it with a block. Never nil.
    public init?(block: OPTLYEventDispatcherBuilderBlock) {
        super.init()
        block(self)
    }
}
