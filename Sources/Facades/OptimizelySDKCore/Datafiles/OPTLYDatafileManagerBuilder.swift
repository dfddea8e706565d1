import Foundation

/// A block that configures an ``OPTLYDatafileManagerBuilder``.
public typealias OPTLYDatafileManagerBuilderBlock = (OPTLYDatafileManagerBuilder?) -> Void

/// What an ``OPTLYDatafileManagerDefault`` is made of.
open class OPTLYDatafileManagerBuilder: NSObject {
    /// The time between two requests for a newer datafile, in seconds; less than two minutes becomes two minutes, with
    /// a warning. Default: 0, there is one request when the manager is made.
    public var datafileFetchInterval: TimeInterval = 0
    /// The shortest time between two requests, in seconds, for whoever runs the server. Default: 120.
    public var minimumFetchInterval: TimeInterval = 120
    // Nobody has to unwrap it, as in the original.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Which datafile. Must be set.
    public var datafileConfig: OPTLYDatafileConfig!
    /// Is told of downloads that fail. Default: nobody.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Receives messages. Default: an ``OPTLYLoggerDefault`` for all levels.
    public var logger: (any OPTLYLogger)?

    /// Runs a block on a new builder. Nil if the block sets no ``datafileConfig``, or a negative interval.
    public init?(block: OPTLYDatafileManagerBuilderBlock) {
        super.init()
        block(self)
        guard datafileConfig != nil, datafileFetchInterval >= 0 else { return nil }
    }
}
