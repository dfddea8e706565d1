import Foundation

/// A block that configures an ``OPTLYEventDispatcherBuilder``.
public typealias OPTLYEventDispatcherBuilderBlock = (OPTLYEventDispatcherBuilder?) -> Void

/// What an ``OPTLYEventDispatcherDefault`` is made of.
open class OPTLYEventDispatcherBuilder: NSObject {
    /// The longest time between two attempts to send what waits, in seconds. Less than 0 becomes 0, with a warning.
    /// Default: 0, which is five minutes.
    public var eventDispatcherDispatchInterval = 0
    /// How many impressions wait at most, and how many conversions; if there are more, the oldest tenth goes. Default:
    /// 0, which is 1,000.
    public var maxNumberOfEventsToSave = 0
    /// Receives messages. Default: nobody.
    public var logger: (any OPTLYLogger)?

    /// Runs a block on a new builder. Never nil.
    public init?(block: OPTLYEventDispatcherBuilderBlock) {
        super.init()
        block(self)
    }
}
