/// Receives the messages of a client.
///
/// A logger is called for messages of all levels and from any thread; it leaves out what it does not want.
public protocol OPTLogger: AnyObject {
    /// From where on messages are wanted. The client sets it once, when it is made.
    static var logLevel: OptimizelyLogLevel { get set }

    /// Creates a logger.
    init()

    /// Writes a message.
    func log(level: OptimizelyLogLevel, message: String)
}
