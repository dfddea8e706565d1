import Foundation
import TurnoutClient

// @unchecked Sendable because nothing in it changes.
/// Decides by one datafile, from its beginning to its end. An ``OPTLYClient`` has one, if it has a datafile.
public final class Optimizely: OPTLYClientBase, @unchecked Sendable {
    /// The datafile.
    public let config: OPTLYProjectConfig?
    /// Calls listeners.
    public var notificationCenter: OPTLYNotificationCenter? { center }
    /// Is told of errors.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)? { parts.errorHandler }
    /// Sends events.
    public var eventDispatcher: (any OPTLYEventDispatcher)? { parts.eventDispatcher }
    /// Receives messages.
    public var logger: (any OPTLYLogger)? { parts.logger }
    /// Remembers assignments; nil: nobody does.
    public var userProfileService: (any OPTLYUserProfileService)? { parts.userProfileService }

    /// Creates a client; nil if there is no builder.
    public convenience init?(builder: OPTLYBuilder?) {
        guard let builder else { return nil }
        let parts = builder.parts
        self.init(of: OPTLYClientBase(parts.core(datafile: builder.datafile), parts))
    }

    /// Creates a client, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYBuilderBlock) { self.init(builder: .init(block: block)) }

    /// The same as another client; nil if that has no datafile.
    init?(of client: OPTLYClientBase) {
        guard let project = client.core.project else { return nil }
        let parts = client.parts
        config = OPTLYProjectConfig(project, clientEngine: parts.clientEngine, clientVersion: parts.clientVersion)
        super.init(client.core, parts, client.center)
    }
}
