/// Receives the messages of a manager and its clients, from any thread.
public protocol OPTLYLogger: AnyObject {
    /// Up to where messages are wanted; the client makes no others.
    var logLevel: OptimizelyLogLevel { get }

    /// Creates a logger, or nil: it has no such level.
    init?(logLevel: OptimizelyLogLevel)

    /// Writes a message.
    func logMessage(_ message: String, with level: OptimizelyLogLevel)
}
