import Foundation
import TurnoutClient

// @unchecked Sendable because it is immutable.
/// A client bound to one datafile for its whole lifetime. An ``OPTLYClient`` with a datafile has one.
open class Optimizely: OPTLYClientBase, @unchecked Sendable {
    /// The datafile.
    public var config: OPTLYProjectConfig? {
        let (engine, version) = (parts.clientEngine, parts.clientVersion)
        return runtime.project.map { OPTLYProjectConfig($0, clientEngine: engine, clientVersion: version) }
    }
    /// Calls listeners.
    public var notificationCenter: OPTLYNotificationCenter? { center }
    /// Receives errors.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)? { parts.errorHandler }
    /// Sends events.
    public var eventDispatcher: (any OPTLYEventDispatcher)? { parts.eventDispatcher }
    /// Receives log messages.
    public var logger: (any OPTLYLogger)? { parts.logger }
    /// Stores assignments; nil if they are not stored.
    public var userProfileService: (any OPTLYUserProfileService)? { parts.userProfileService }

    /// Creates a client. Returns nil if the builder is nil or its datafile is unusable.
    public init?(builder: OPTLYBuilder?) {
        guard let builder else { return nil }
        let parts = builder.parts
        let runtime = parts.runtime(datafile: builder.datafile, parsedBy: builder.memo)
        guard runtime.project != nil else { return nil }
        super.init(runtime, parts)
    }

    /// Creates a client configured by a block.
    public convenience init?(_ block: OPTLYBuilderBlock) { self.init(builder: .init(block: block)) }

    /// Creates a client that shares the parts of another; nil if that has no datafile.
    init?(of client: OPTLYClientBase) {
        guard client.runtime.project != nil else { return nil }
        super.init(client.runtime, client.parts, client.center)
    }
}
