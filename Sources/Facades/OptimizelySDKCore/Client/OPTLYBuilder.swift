public import Foundation
package import Optimizely
import TurnoutClient

/// A block that configures an ``OPTLYBuilder``.
public typealias OPTLYBuilderBlock = (OPTLYBuilder?) -> Void

/// A block that configures an ``OPTLYClientBuilder``.
public typealias OPTLYClientBuilderBlock = (OPTLYClientBuilder) -> Void

/// The settings of a client that is created without a manager.
open class OPTLYClientSettings: NSObject {
    /// The datafile. Default: nil.
    public var datafile: Data?
    /// Receives errors. Default: nil.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Sends events. Default: nil, an ``OPTLYEventDispatcherBasic``.
    public var eventDispatcher: (any OPTLYEventDispatcher)?
    /// Receives log messages. Default: nil, an ``OPTLYLoggerDefault``.
    public var logger: (any OPTLYLogger)?
    /// Stores assignments. Default: nil.
    public var userProfileService: (any OPTLYUserProfileService)?
    /// The client version in events. Default: nil, `3.1.5`.
    public var clientVersion: String?
    /// The client version in events by default: that of the vendor's library with this interface.
    static let standardVersion = "3.1.5"
    /// The client name in events. Default: nil, `objective-c-sdk`.
    public var clientEngine: String?
    /// Whether users with non-ASCII ids are bucketed as by the Objective-C library, which differs from all other
    /// clients. Default: false.
    public var legacyBucketing = false

    /// Parses the datafile, for the builder and its clients.
    package let memo = DatafileMemo(format: .legacy)

    var parts: LegacyClientDependencies {
        let environment = HostEnvironment.current
        return LegacyClientDependencies(
            logger: logger ?? OPTLYLoggerDefault(), errorHandler: errorHandler ?? OPTLYErrorHandlerNoOp(),
            eventDispatcher: eventDispatcher ?? OPTLYEventDispatcherBasic(), userProfileService: userProfileService,
            clientEngine: clientEngine ?? "objective-c-sdk", clientVersion: clientVersion ?? Self.standardVersion,
            legacyBucketing: legacyBucketing, environment: environment,
            datafileMonitor: environment.datafileMonitor())
    }
}

/// The settings of an ``Optimizely``.
open class OPTLYBuilder: OPTLYClientSettings {
    /// Creates a builder and configures it with a block. Returns nil without a usable datafile.
    public init?(block: OPTLYBuilderBlock) {
        super.init()
        block(self)
        guard let datafile, (try? memo.project(of: datafile)) != nil else { return nil }
    }
}

/// The settings of an ``OPTLYClient``.
open class OPTLYClientBuilder: OPTLYClientSettings {
    /// Creates a builder and configures it with a block.
    public init(block: OPTLYClientBuilderBlock) {
        super.init()
        block(self)
    }
}
