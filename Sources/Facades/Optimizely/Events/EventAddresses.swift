import Foundation
package import TurnoutClient

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
