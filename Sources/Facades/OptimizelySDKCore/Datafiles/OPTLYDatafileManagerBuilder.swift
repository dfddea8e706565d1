import Foundation

/// A block that configures an ``OPTLYDatafileManagerBuilder``.
public typealias OPTLYDatafileManagerBuilderBlock = (OPTLYDatafileManagerBuilder?) -> Void

/// The settings of an ``OPTLYDatafileManagerDefault``.
open class OPTLYDatafileManagerBuilder: NSObject {
    /// The polling interval, in seconds; an interval below ``minimumFetchInterval`` is raised to that, with a warning.
    /// Default: 0, a single request when the manager is created.
    public var datafileFetchInterval: TimeInterval = 0
    /// The minimum polling interval, in seconds. Lower it only for your own datafile server. Default: 120.
    public var minimumFetchInterval: TimeInterval = 120
    // Callers need not unwrap it, as in the original.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Identifies the datafile. Required.
    public var datafileConfig: OPTLYDatafileConfig!
    /// Receives the errors of failed downloads. Default: nil.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Receives log messages. Default: nil, an ``OPTLYLoggerDefault`` for all levels.
    public var logger: (any OPTLYLogger)?

    /// Creates a builder and configures it with a block. Returns nil if the block sets no ``datafileConfig``, or a
    /// negative interval.
    public init?(block: OPTLYDatafileManagerBuilderBlock) {
        super.init()
        block(self)
        guard datafileConfig != nil, datafileFetchInterval >= 0 else { return nil }
    }
}
