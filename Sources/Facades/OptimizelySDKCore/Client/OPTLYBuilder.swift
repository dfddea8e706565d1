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

/// A block that configures an ``OPTLYProjectConfigBuilder``.
public typealias OPTLYProjectConfigBuilderBlock = (OPTLYProjectConfigBuilder?) -> Void

/// The datafile of an ``OPTLYProjectConfig``, and the client that it names.
open class OPTLYProjectConfigBuilder: OPTLYClientSettings {
    /// Creates a builder and configures it with a block. Returns nil without a datafile.
    public init?(block: OPTLYProjectConfigBuilderBlock) {
        super.init()
        block(self)
        guard datafile != nil else { return nil }
    }
}

extension OPTLYProjectConfig {
    /// Reads a datafile. Returns nil, and calls the error handler, if it cannot be used.
    public convenience init?(builder: OPTLYProjectConfigBuilder?) {
        guard let builder, let datafile = builder.datafile else { return nil }
        let parts = builder.parts
        do throws(DatafileError) {
            let project = try builder.memo.project(of: datafile)
            self.init(project, clientEngine: parts.clientEngine, clientVersion: parts.clientVersion)
        } catch {
            parts.report(.datafileInvalid, "there is no project config, because the datafile cannot be used: \(error)")
            return nil
        }
    }
}
