/// A logger that receives the messages of a client.
///
/// The client calls a logger from any thread, for messages of all levels; the logger discards those that it does not
/// want.
public protocol OPTLogger: AnyObject {
    /// The most verbose level that is logged. The client sets it once, when it is created.
    static var logLevel: OptimizelyLogLevel { get set }

    /// Creates a logger.
    init()

    /// Writes a message.
    func log(level: OptimizelyLogLevel, message: String)
}
