public import Foundation
import Optimizely
public import TurnoutClient

// @unchecked Sendable because nothing in it changes but what its queues keep behind locks.
/// Stores events in a file until their receiver has accepted them, and sends each in a request of its own.
///
/// Undelivered events in the Objective-C library's own file are migrated once.
///
/// An event is attempted three times, with delays of about one and two seconds, and again later; events left by an
/// earlier process are sent at the start. At most 20 are sent in a row, the rest a second later. Impressions and
/// conversions have separate queues; each sends the oldest event first, one request at a time.
open class OPTLYEventDispatcherDefault: NSObject, OPTLYEventDispatcher, @unchecked Sendable {
    /// The maximum time between two delivery attempts, in seconds; 0 means five minutes.
    public let eventDispatcherDispatchInterval: Int
    /// The maximum number of queued impressions, and of queued conversions.
    public let maxNumberOfEventsToSave: Int
    /// Receives log messages.
    public let logger: (any OPTLYLogger)?

    private let impressions: EventLane
    private let conversions: EventLane
    private let observer: BackgroundObserver

    /// Creates a dispatcher. Returns nil if the builder is nil.
    public init?(builder: OPTLYEventDispatcherBuilder?) {
        guard let builder else { return nil }
        let log: any Log = builder.logger?.log() ?? SilentLog()
        let interval = max(0, builder.eventDispatcherDispatchInterval)
        if interval != builder.eventDispatcherDispatchInterval {
            log(.warning, "eventDispatcherDispatchInterval is less than 0; using 0, which is five minutes")
        }
        let limit = builder.maxNumberOfEventsToSave > 0 ? builder.maxNumberOfEventsToSave : 1_000
        let environment = HostEnvironment.current
        let impressions = EventLane("objective-c impressions", limit: limit, interval: interval, environment, log)
        let conversions = EventLane("objective-c conversions", limit: limit, interval: interval, environment, log)
        (self.impressions, self.conversions) = (impressions, conversions)
        eventDispatcherDispatchInterval = interval
        maxNumberOfEventsToSave = limit
        logger = builder.logger
        observer = BackgroundObserver { await Self.flush(impressions, conversions, within: .seconds(10)) }
        super.init()
        #if SQLite
            guard let path = environment.earlierEvents else { return }
            BlockingCall.start {
                // Without durable storage the events stay in the library's file.
                guard environment.storage.profiles().isDurable else { return }
                let queues = [("impression_events", impressions), ("conversion_events", conversions)]
                LegacyEventMigration(path: path).move(to: queues, log)
            }
        #endif
    }

    /// Creates a dispatcher configured by a block.
    public convenience init?(_ block: OPTLYEventDispatcherBuilderBlock) { self.init(builder: .init(block: block)) }

    /// Stores and sends an impression.
    open func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        impressions.dispatch(params, callback)
    }

    /// Stores and sends a conversion.
    open func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        conversions.dispatch(params, callback)
    }

    /// The state of both queues and of their delivery.
    public var status: EventStatus { impressions.status + conversions.status }

    /// Delivers the oldest impressions and conversions, and waits for that within a limit.
    func flush(within limit: Duration) async { await Self.flush(impressions, conversions, within: limit) }

    private static func flush(_ impressions: EventLane, _ conversions: EventLane, within limit: Duration) async {
        async let isDone: Void = impressions.flush(within: limit)
        await conversions.flush(within: limit)
        await isDone
    }

    /// Starts delivery of the 20 oldest impressions and conversions and returns immediately; the rest follows
    /// automatically.
    open func flushEvents() {
        for lane in [impressions, conversions] {
            Task.detached(executorPreference: DispatchExecutor.blockingCallers) { await lane.flush() }
        }
    }
}

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
