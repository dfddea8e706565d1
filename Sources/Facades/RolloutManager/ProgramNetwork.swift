import TurnoutClient

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

/// The machine's network. The only place that chooses which it is.
enum ProgramNetwork {
    static var transport: any Transport {
        #if Curl && os(Linux)
            .curl
        #else
            .urlSession
        #endif
    }
}
