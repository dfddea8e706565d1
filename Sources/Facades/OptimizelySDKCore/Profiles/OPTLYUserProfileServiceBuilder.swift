import Foundation

/// A block that configures an ``OPTLYUserProfileServiceBuilder``.
public typealias OPTLYUserProfileServiceBuilderBlock = (OPTLYUserProfileServiceBuilder?) -> Void

/// The settings of an ``OPTLYUserProfileServiceDefault``.
open class OPTLYUserProfileServiceBuilder: NSObject {
    /// Receives log messages. Default: an ``OPTLYLoggerDefault`` for all levels.
    public var logger: (any OPTLYLogger)? = OPTLYLoggerDefault.ofEverything

    /// Creates a builder and configures it with a block. Never nil.
    public init?(block: OPTLYUserProfileServiceBuilderBlock) {
        super.init()
        block(self)
    }
}
