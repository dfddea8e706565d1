import Foundation
package import TurnoutClient

struct DispatcherSettings {
    private typealias Defaults = DefaultEventDispatcher.DefaultValues

    let batchSize: Int
    let interval: Duration
    let maxQueueSize: Int
    /// The corrected setting to be logged, or nil if there is none.
    let problem: OptimizelyError?

    /// Replaces invalid values by the defaults.
    init(batchSize: Int, timerInterval: Double, maxQueueSize: Int) {
        self.batchSize = batchSize > 0 ? batchSize : Defaults.batchSize
        // NaN fails the comparison; more than a year could overflow.
        let seconds = timerInterval >= 0 ? timerInterval : Defaults.timeInterval
        interval = .seconds(min(seconds, 31_536_000))
        let size = maxQueueSize >= 100 ? maxQueueSize : Defaults.maxQueueSize
        self.maxQueueSize = max(size, self.batchSize)
        problem =
            size < self.batchSize
            ? .eventDispatcherConfigError("a queue of \(size) has no room for a batch of \(self.batchSize)") : nil
    }

    /// The settings in the queue's form.
    var options: EventOptions {
        var options = EventOptions()
        options.eventsPerRequest = batchSize
        options.interval = interval
        return options
    }
}

/// The endpoints for a client's events: its own, or those of the process.
package struct EventAddresses: Sendable {
    private let us: String?
    private let eu: String?

    /// The endpoints of the process.
    package init() { (us, eu) = (nil, nil) }

    init(_ settings: OptimizelySdkSettings) { (us, eu) = (settings.eventEndpoint, settings.euEventEndpoint) }

    /// The current endpoint for a region.
    package subscript(region: Project.Region) -> String {
        switch region {
        case .us: us ?? EventForDispatch.eventEndpoint
        case .eu: eu ?? EventForDispatch.euEventEndpoint
        }
    }
}

extension EventForDispatch {
    /// The request for a client's event.
    convenience init(_ outgoing: OutgoingEvent, to addresses: EventAddresses) {
        // An application may set an endpoint that is not a URL; its events cannot be delivered.
        self.init(outgoing, url: URL(string: addresses[outgoing.group.region]) ?? URL(filePath: "/dev/null"))
    }
}
