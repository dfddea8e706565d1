import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because what changes is behind a lock.
/// Decides which variation each user gets, by the datafile that it was made with.
///
/// Without one it is a dummy: every call logs an error and returns nothing. A client never changes; a newer datafile
/// needs a new client, which comes from the next `initialize` of a manager. May be used from any number of threads.
open class OPTLYClient: OPTLYClientBase, @unchecked Sendable {
    /// Who decides, or nil: there is no datafile that can be used.
    public private(set) var optimizely: Optimizely?
    private let defaults = Locked(Handed<[AnyHashable: Any]?>(nil))

    /// Receives messages.
    public var logger: any OPTLYLogger { parts.logger }

    /// What a manager knows about the device. It enters neither decisions nor events.
    public var defaultAttributes: [AnyHashable: Any]? {
        get { defaults.withLock { $0 }.value }
        set { defaults.withLock { [new = Handed(newValue)] in $0 = new } }
    }

    /// Creates a client; without a builder, or with a datafile that cannot be used, a dummy.
    public init(builder: OPTLYClientBuilder?) {
        let settings = builder ?? OPTLYClientBuilder { _ in }
        let parts = settings.parts
        super.init(parts.core(datafile: settings.datafile), parts)
        optimizely = Optimizely(of: self)
    }

    /// Creates a client, as the form without a builder's name did.
    public convenience init(_ block: OPTLYClientBuilderBlock) { self.init(builder: .init(block: block)) }

    init(_ core: Client, _ parts: ClientParts) {
        super.init(core, parts)
        optimizely = Optimizely(of: self)
    }

    /// Calls listeners, or nil: there is no datafile.
    @discardableResult
    open func notificationCenter() -> OPTLYNotificationCenter? { core.project == nil ? nil : center }
}
