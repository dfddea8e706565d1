import Optimizely

/// Discards messages.
final class SilentLogger: OPTLogger {
    static var logLevel: OptimizelyLogLevel {
        get { .error }
        // swift-format-ignore
        set {}
    }

    init() {}
    func log(level: OptimizelyLogLevel, message: String) {}
}
