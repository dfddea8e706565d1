public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because nothing in it changes but what its queues keep behind locks.
/// Keeps events in a file until their receiver has taken them, and sends each in a request of its own.
///
/// An event is tried three times, after pauses of about one and two seconds, and then again later; what an earlier
/// process left is sent at the start. At most 20 are sent in one go, and the rest a second later. Impressions and
/// conversions do not wait for each other; of each, the oldest goes first, and only one is under way at a time.
open class OPTLYEventDispatcherDefault: NSObject, OPTLYEventDispatcher, @unchecked Sendable {
    /// The longest time between two attempts to send what waits, in seconds; 0: five minutes.
    public let eventDispatcherDispatchInterval: Int
    /// How many impressions wait at most, and how many conversions.
    public let maxNumberOfEventsToSave: Int
    /// Receives messages.
    public let logger: (any OPTLYLogger)?

    private let impressions: EventLane
    private let conversions: EventLane
    private let watch: BackgroundWatch

    /// Creates a dispatcher; nil if there is no builder.
    public init?(builder: OPTLYEventDispatcherBuilder?) {
        guard let builder else { return nil }
        let log: any Log = builder.logger.map { LoggerLog($0) } ?? SilentLog()
        let interval = max(0, builder.eventDispatcherDispatchInterval)
        if interval != builder.eventDispatcherDispatchInterval { log(.warning, "the dispatch interval is negative") }
        let limit = builder.maxNumberOfEventsToSave > 0 ? builder.maxNumberOfEventsToSave : 1_000
        let world = World.current
        let impressions = EventLane("objective-c impressions", limit: limit, interval: interval, world, log)
        let conversions = EventLane("objective-c conversions", limit: limit, interval: interval, world, log)
        (self.impressions, self.conversions) = (impressions, conversions)
        eventDispatcherDispatchInterval = interval
        maxNumberOfEventsToSave = limit
        logger = builder.logger
        watch = BackgroundWatch {
            async let isDone: Void = impressions.flush()
            await conversions.flush()
            await isDone
        }
    }

    /// Creates a dispatcher, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYEventDispatcherBuilderBlock) { self.init(builder: .init(block: block)) }

    /// Keeps and sends that a user was given a variation.
    open func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        impressions.dispatch(params, callback)
    }

    /// Keeps and sends that a user did something.
    open func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        conversions.dispatch(params, callback)
    }

    /// Sends the 20 oldest of both kinds now, without waiting for it; the rest follows by itself.
    open func flushEvents() {
        for lane in [impressions, conversions] {
            Task(executorPreference: DispatchExecutor.waitedFor) { await lane.flush() }
        }
    }
}
