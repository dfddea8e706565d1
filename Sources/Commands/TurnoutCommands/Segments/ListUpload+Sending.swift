#if Curl && os(Linux)
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutCurl
    import TurnoutEngine

    extension ListUpload {
        /// How often a request is sent, over some two minutes.
        private static let attempts = 10

        /// The size of a request that adds users. One that replaces them is as large as it may be: for a file of one
        /// request, the server writes only the differences.
        private static let addedSize = 1 << 20

        /// The place of a part in an upload whose parts replace the list when the last one has arrived.
        private struct Place {
            let upload: String
            let number: Int
            let isLast: Bool

            var query: String { "?upload=\(upload)&part=\(number)" + (isLast ? "&last=true" : "") }
        }

        /// The id of an upload, which no other one has.
        private static var newID: String {
            (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
        }

        private struct Summary {
            /// The upload that replaces the list at its end; nil if each part changes it.
            var isStaged = false
            var users = 0
            var added = 0
            var removed = 0
            var requests = 0
            var repeats = 0
            /// The segments that audiences of the server name, if the list is none of them.
            var known: [String]?

            /// Adds what the server says of a request with some users.
            mutating func add(_ lines: Int, _ response: ManagementResponse) throws(CommandError) {
                try added += response.number("added")
                try removed += response.number("removed")
                known = response.texts("segments")
                users += lines
            }
        }

        /// Sends the file, and prints a summary.
        ///
        /// - Throws: `CommandError` if the file cannot be read, or the server refuses it.
        func run() async throws {
            let clock = ContinuousClock()
            let start = clock.now
            var progress = ProgressLine(of: "users", on: Terminal(.error))
            let size = replaces ? UploadParts.maximumSize : Self.addedSize
            var parts = try UploadParts(file, isTable: isTable, size: size)
            var summary = Summary()
            var (number, part) = (1, try next(&parts, summary))
            var following = try next(&parts, summary)
            let upload = replaces && following != nil ? Self.newID : nil
            while let current = part {
                let place = upload.map { Place(upload: $0, number: number, isLast: following == nil) }
                try await send(current, place, &summary)
                (number, part) = (number + 1, following)
                following = try next(&parts, summary)
                if let text = progress.update(done: summary.users, after: clock.now - start) {
                    StandardStream.error.put(text)
                }
            }
            if let text = progress.clear() { StandardStream.error.put(text) }
            try Self.print(summary, list, clock.now - start)
        }

        private func next(
            _ parts: inout UploadParts, _ summary: Summary
        ) throws(CommandError) -> UploadParts.Part? {
            do throws(CommandError) { return try parts.next() } catch {
                throw CommandError(error.message + state(of: summary), advice: error.advice)
            }
        }

        private static func print(_ summary: Summary, _ list: String, _ time: Duration) throws(CommandError) {
            let repeated = summary.repeats > 0 ? ", \(summary.repeats.grouped) of them again" : ""
            // A request without an answer may have changed the list, and the one that repeats it changes nothing.
            let least = summary.repeats > 0 ? "at least " : ""
            let text =
                "\(list): \(summary.users.grouped("line")) in \(summary.requests.grouped("request"))\(repeated) and "
                + "\(time.logText): \(least)\(summary.added.grouped) added, "
                + "\(least)\(summary.removed.grouped) removed\n"
            guard StandardStream.output.put(text) else { throw .unwritten("the summary") }
            guard let known = summary.known else { return }
            UnknownNames.warn("no audience of a datafile on the server names the segment \"\(list)\"", list, known)
        }

        /// Sends a part of the file, with repeated attempts if the network or the server fails.
        private func send(_ part: UploadParts.Part, _ place: Place?, _ summary: inout Summary) async throws {
            let request = request(part.bytes, query: place?.query ?? replacement)
            summary.isStaged = place != nil
            var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30), random: .system)
            for attempt in 1... {
                summary.requests += 1
                let (problem, wait): (String, Duration)
                switch await Self.response(to: request) {
                case .failure(let error):
                    (problem, wait) = ("\(error)", .zero)
                    // The address or a header cannot be sent, however often.
                    guard (error as? TransportError)?.code != .badAddress else {
                        throw CommandError(
                            "\(list): \(problem)\(state(of: summary))",
                            advice: "Correct \(ManagedServer.server) or the token.")
                    }
                case .success(let response):
                    guard response.status != 200 else { return try summary.add(part.bytes.lineCount, response) }
                    guard response.isTemporaryFailure else {
                        throw refusal(
                            response, part.firstLine,
                            place?.isLast == true && attempt > 1 ? Self.unknownState : state(of: summary))
                    }
                    (problem, wait) = (response.problem, response.retryAfter)
                }
                guard attempt < Self.attempts else {
                    throw CommandError(
                        "\(list): given up after \(attempt) requests: \(problem)"
                            + (place?.isLast == true ? Self.unknownState : state(of: summary, after: part)),
                        advice: "Is the server running at \(server.address)? Then run the command again.")
                }
                summary.repeats += 1
                let pause = max(backoff.delay(), wait)
                CommandLog().write(.warning, "\(list): \(problem); trying again in \(pause.logText)")
                try await Task.sleep(for: pause)
            }
        }

        /// The query of a request that replaces the list, or adds to it.
        private var replacement: String {
            guard replaces else { return "" }
            return "?replace=true" + (allowsEmpty ? "&allow_empty=true" : "")
        }

        private static func response(to request: HTTPRequest) async -> Result<ManagementResponse, any Error> {
            do { return .success(ManagementResponse(try await CurlTransport().send(request))) } catch {
                return .failure(error)
            }
        }

        private func request(_ part: [UInt8], query: String) -> HTTPRequest {
            server.request(
                "/segments/" + list.percentEncoded + "/users" + query,
                contentType: isTable ? "text/csv" : "application/x-ndjson", body: part)
        }

        private func refusal(
            _ response: ManagementResponse, _ firstLine: Int, _ state: String
        ) -> CommandError {
            let place = firstLine > 1 ? " (counted from line \(firstLine.grouped) of the file)" : ""
            let advice: String? =
                switch response.status {
                case 400: "Correct the line, and run the command again."
                case 409 where response.text("code") == "upload":
                    "Another upload to the list may be running, or the list was replaced. Run the command again."
                case 409 where response.text("code") == "empty":
                    "To remove all users of the list, pass \(SegmentsCommand.allowsEmpty)."
                case 409 where response.text("code") == "limit":
                    "Delete lists that are not needed, or raise segments.maximum_users if it is that limit."
                default: response.advice(forScope: "flags")
                }
            return CommandError("\(list): \(response.problem)\(place)\(state)", advice: advice)
        }

        /// The list after the last part of an upload, if that was sent without an answer.
        private static let unknownState = "; the list has been replaced, or is as it was"

        /// The contents of the list after a failure, as the end of a sentence. `unanswered` was sent without an answer.
        private func state(of summary: Summary, after unanswered: UploadParts.Part? = nil) -> String {
            guard !summary.isStaged else { return "; the list is as it was" }
            let stored =
                summary.users > 0 ? "; the list has the first \(summary.users.grouped) lines of the file" : ""
            guard let unanswered else { return stored }
            guard !unanswered.bytes.isEmpty else { return stored + (replaces ? "; the list may be empty now" : "") }
            return "\(stored); \(unanswered.place) of the file may be stored\(stored.isEmpty ? "" : ", too")"
        }
    }

    extension [UInt8] {
        /// The number of lines that are not empty.
        fileprivate var lineCount: Int {
            var (count, isEmpty) = (0, true)
            for byte in self {
                if byte == 0x0A {
                    isEmpty = true
                } else if byte != 0x0D, isEmpty {
                    (count, isEmpty) = (count + 1, false)
                }
            }
            return count
        }
    }
#endif
