import TurnoutClient

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

/// The network of this build.
enum LiveTransport {
    static func make() -> any StreamingTransport {
        #if Curl && os(Linux)
            .curl
        #else
            .urlSession
        #endif
    }
}
