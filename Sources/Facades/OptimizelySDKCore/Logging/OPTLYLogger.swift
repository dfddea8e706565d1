/// A logger that receives the messages of a manager and its clients, from any thread.
public protocol OPTLYLogger: AnyObject {
    /// The most verbose level that is logged; clients build no messages above it.
    var logLevel: OptimizelyLogLevel { get }

    /// Creates a logger. Returns nil if the logger does not support the level.
    init?(logLevel: OptimizelyLogLevel)

    /// Writes a message.
    func logMessage(_ message: String, with level: OptimizelyLogLevel)
}
