#if Curl && os(Linux)
    import TurnoutClient
    import TurnoutCurl

    // A program that exits while its first request initializes libcurl. `Scripts/prove kill-rounds` checks that it
    // exits cleanly. Separate, because nothing else may have loaded libcurl, as Foundation does.
    //
    //     early-end MILLISECONDS

    Task { _ = try? await CurlTransport().send(HTTPRequest(.get, "https://127.0.0.1:9/")) }
    try await Task.sleep(for: .milliseconds(CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0))
#endif
