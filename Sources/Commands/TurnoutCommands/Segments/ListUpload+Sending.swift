#if Curl && os(Linux)
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutCurl

    extension ListUpload {
        /// How often the request is sent, over some two minutes.
        private static let attempts = 10

        /// The server's limit for a list in bytes.
        private static let sizeLimit = 16 << 20

        /// Sends the file, and prints a summary.
        ///
        /// - Throws: `CommandError` if the file cannot be read or is too large, or the server refuses it.
        func run() async throws {
            let body = try InputFile(file).readAll(upTo: Self.sizeLimit, advice: splitting)
            let request = server.request(
                "/segments/" + list.percentEncoded + "/users" + query,
                contentType: isTable ? "text/csv" : "application/x-ndjson", body: body)
            var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30), random: .system)
            for attempt in 1... {
                let (problem, wait): (String, Duration)
                switch await Self.response(to: request) {
                case .failure(let error):
                    (problem, wait) = ("\(error)", .zero)
                    // The address or a header cannot be sent, however often.
                    guard (error as? TransportError)?.code != .badAddress else {
                        throw CommandError(
                            "\(list): \(problem)", advice: "Correct \(ManagedServer.server) or the token.")
                    }
                case .success(let response):
                    if response.status == 200 { return try print(response, isRepeated: attempt > 1) }
                    guard response.isTemporaryFailure else {
                        throw CommandError(
                            "\(list): \(response.problem)" + (attempt > 1 ? Self.unknownState : ""),
                            advice: advice(for: response))
                    }
                    (problem, wait) = (response.problem, response.retryAfter)
                }
                guard attempt < Self.attempts else {
                    throw CommandError(
                        "\(list): given up after \(attempt) requests: \(problem)\(Self.unknownState)",
                        advice: "Is the server running at \(server.address)? Then run the command again.")
                }
                let pause = max(backoff.delay(), wait)
                CommandLog().write(.warning, "\(list): \(problem); trying again in \(pause.logText)")
                try await Task.sleep(for: pause)
            }
        }

        /// A request without an answer may have changed the list.
        private static let unknownState = "; the list has been changed, or is as it was"

        private func print(_ response: ManagementResponse, isRepeated: Bool) throws(CommandError) {
            // What the request before has changed, the one that repeats it does not change.
            let least = isRepeated ? "at least " : ""
            let (added, removed) = try (response.number("added"), response.number("removed"))
            let text = "\(list): \(least)\(added.grouped) added, \(least)\(removed.grouped) removed\n"
            guard StandardStream.output.put(text) else { throw .unwritten("the summary") }
            guard let known = response.texts("segments") else { return }
            UnknownNames.warn("no audience of a datafile on the server names the segment \"\(list)\"", list, known)
        }

        /// The query of a request that replaces the list, or adds to it.
        private var query: String {
            guard replaces else { return "" }
            return "?replace=true" + (allowsEmpty ? "&allow_empty=true" : "")
        }

        private static func response(to request: HTTPRequest) async -> Result<ManagementResponse, any Error> {
            do { return .success(ManagementResponse(try await CurlTransport().send(request))) } catch {
                return .failure(error)
            }
        }

        private var splitting: String {
            "Split it; upload the first part\(replaces ? "" : " so"), and the others with \(SegmentsCommand.adds)."
        }

        private func advice(for response: ManagementResponse) -> String? {
            switch response.status {
            case 400: "Correct the line, and run the command again."
            case 409 where response.text("code") == "empty":
                "To remove all users of the list, pass \(SegmentsCommand.allowsEmpty)."
            case 409 where response.text("code") == "limit":
                "Delete lists that are not needed, or raise segments.maximum_users if it is that limit."
            // A proxy may allow less than the server.
            case 413: splitting
            default: response.advice(forScope: "flags")
            }
        }
    }
#endif
