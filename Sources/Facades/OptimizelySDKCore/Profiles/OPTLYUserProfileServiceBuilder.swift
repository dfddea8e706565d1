import Foundation

/// A block that configures an ``OPTLYUserProfileServiceBuilder``.
public typealias OPTLYUserProfileServiceBuilderBlock = (OPTLYUserProfileServiceBuilder?) -> Void

/// What an ``OPTLYUserProfileServiceDefault`` is made of.
open class OPTLYUserProfileServiceBuilder: NSObject {
    /// Receives messages. Default: an ``OPTLYLoggerDefault`` for all levels.
    public var logger: (any OPTLYLogger)? = OPTLYLoggerDefault.ofEverything

    /// Runs a block on a new builder. Never nil.
    public init?(block: OPTLYUserProfileServiceBuilderBlock) {
        super.init()
        block(self)
    }
}
