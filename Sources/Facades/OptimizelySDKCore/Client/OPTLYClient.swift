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
