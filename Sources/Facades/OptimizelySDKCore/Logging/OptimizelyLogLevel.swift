/// How much a message matters, and up to where messages are wanted.
public enum OptimizelyLogLevel: UInt, Sendable {
    /// No messages.
    case off = 0
    /// The program cannot go on.
    case critical = 1
    /// Something does not work.
    case error = 2
    /// Something is probably not meant.
    case warning = 3
    /// Something happened.
    case info = 4
    /// What is needed to understand a decision.
    case debug = 5
    /// More than that.
    case verbose = 6
    /// Everything.
    case all = 7

    var name: String { "\(self)".uppercased() }
}
