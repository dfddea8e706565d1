public import Foundation
import Optimizely
import TurnoutClient

/// A block that configures an ``OPTLYBuilder``.
public typealias OPTLYBuilderBlock = (OPTLYBuilder?) -> Void

/// A block that configures an ``OPTLYClientBuilder``.
public typealias OPTLYClientBuilderBlock = (OPTLYClientBuilder) -> Void

/// What clients are made of without a manager.
open class OPTLYClientSettings: NSObject {
    /// The datafile. Default: none.
    public var datafile: Data?
    /// Is told of errors. Default: nobody.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Sends events. Default: an ``OPTLYEventDispatcherBasic``.
    public var eventDispatcher: (any OPTLYEventDispatcher)?
    /// Receives messages. Default: an ``OPTLYLoggerDefault``.
    public var logger: (any OPTLYLogger)?
    /// Remembers assignments. Default: nobody.
    public var userProfileService: (any OPTLYUserProfileService)?
    /// The version of the client that events carry. Default: `3.1.5`.
    public var clientVersion: String?
    /// The name of the client that events carry. Default: `objective-c-sdk`.
    public var clientEngine: String?
    /// Whether users whose ids are not ASCII get the buckets that the Objective-C library gave them, which differ from
    /// those of all other clients. Default: false.
    public var legacyBucketing = false

    var parts: ClientParts {
        ClientParts(
            logger: logger ?? OPTLYLoggerDefault(), errorHandler: errorHandler ?? OPTLYErrorHandlerNoOp(),
            eventDispatcher: eventDispatcher ?? OPTLYEventDispatcherBasic(), userProfileService: userProfileService,
            clientEngine: clientEngine ?? "objective-c-sdk", clientVersion: clientVersion ?? "3.1.5",
            legacyBucketing: legacyBucketing, world: .current)
    }
}

/// What an ``Optimizely`` is made of.
open class OPTLYBuilder: OPTLYClientSettings {
    /// Runs a block on a new builder. Nil if the datafile it sets cannot be used.
    public init?(block: OPTLYBuilderBlock) {
        super.init()
        block(self)
        guard let datafile, (try? Project(datafile: Array(datafile), format: .legacy)) != nil else { return nil }
    }
}

/// What an ``OPTLYClient`` is made of.
open class OPTLYClientBuilder: OPTLYClientSettings {
    /// Runs a block on a new builder.
    public init(block: OPTLYClientBuilderBlock) {
        super.init()
        block(self)
    }
}
