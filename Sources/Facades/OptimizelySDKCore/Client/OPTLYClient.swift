import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because its mutable state is behind a lock.
/// Evaluates features and experiments with the datafile that it was created with.
///
/// Without a datafile it is a dummy client: every call logs an error and returns nothing. A client never changes
/// datafiles; a newer one needs a new client from the next `initialize` of a manager. May be used from any number of
/// threads.
open class OPTLYClient: OPTLYClientBase, @unchecked Sendable {
    /// The client for the datafile, or nil if there is no usable one.
    public private(set) var optimizely: Optimizely?
    private let defaults = Locked(UncheckedSendable<[AnyHashable: Any]?>(nil))

    /// Receives log messages.
    public var logger: any OPTLYLogger { parts.logger }

    /// The device attributes set by a manager. They affect neither decisions nor events.
    public var defaultAttributes: [AnyHashable: Any]? {
        get { defaults.withLock { $0 }.value }
        set { defaults.withLock { [new = UncheckedSendable(newValue)] in $0 = new } }
    }

    /// Creates a client; a dummy client if the builder is nil or its datafile is unusable.
    public init(builder: OPTLYClientBuilder?) {
        let settings = builder ?? OPTLYClientBuilder { _ in }
        let parts = settings.parts
        super.init(parts.runtime(datafile: settings.datafile, parsedBy: settings.memo), parts)
        optimizely = Optimizely(of: self)
    }

    /// Creates a client configured by a block.
    public convenience init(_ block: OPTLYClientBuilderBlock) { self.init(builder: .init(block: block)) }

    init(_ runtime: DecisionRuntime, _ parts: LegacyClientDependencies) {
        super.init(runtime, parts)
        optimizely = Optimizely(of: self)
    }

    /// Calls listeners; nil if there is no datafile.
    @discardableResult
    open func notificationCenter() -> OPTLYNotificationCenter? { runtime.project == nil ? nil : center }
}

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
