import Foundation
import TurnoutClient

// @unchecked Sendable because nothing in it changes.
/// Decides by one datafile, from its beginning to its end. An ``OPTLYClient`` has one, if it has a datafile.
open class Optimizely: OPTLYClientBase, @unchecked Sendable {
    /// The datafile.
    public var config: OPTLYProjectConfig? {
        let (engine, version) = (parts.clientEngine, parts.clientVersion)
        return core.project.map { OPTLYProjectConfig($0, clientEngine: engine, clientVersion: version) }
    }
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
    public init?(builder: OPTLYBuilder?) {
        guard let builder else { return nil }
        let parts = builder.parts
        let core = parts.core(datafile: builder.datafile)
        guard core.project != nil else { return nil }
        super.init(core, parts)
    }

    /// Creates a client, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYBuilderBlock) { self.init(builder: .init(block: block)) }

    /// The same as another client; nil if that has no datafile.
    init?(of client: OPTLYClientBase) {
        guard client.core.project != nil else { return nil }
        super.init(client.core, client.parts, client.center)
    }
}
