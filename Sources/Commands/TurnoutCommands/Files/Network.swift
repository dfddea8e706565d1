import TurnoutClient
import TurnoutCommandIO

#if Curl && os(Linux)
    import TurnoutCurl
#endif

/// The network, as far as this build has one.
enum Network {
    /// Sends requests.
    ///
    /// - Parameter options: The limits. Default: the standard ones.
    /// - Returns: The network.
    /// - Throws: `CommandError` in a build without a network.
    static func transport(
        _ options: TransportOptions = TransportOptions()
    ) throws(CommandError) -> any StreamingTransport {
        #if Curl && os(Linux)
            CurlTransport(options)
        #else
            throw CommandError("this build of turnout has no network", advice: "Build for Linux with the trait Curl.")
        #endif
    }
}
