#if Curl && os(Linux)
    import TurnoutClient
    import TurnoutCurl
    import TurnoutEngine

    extension ListUpload {
        /// The size of a request in bytes, below the server's limit of 16 MiB by more than a chunk of the file.
        private static let partSize = 15 << 20
        /// How often a request is sent, over some two minutes.
        private static let attempts = 10

        private struct Summary {
            var users = 0
            var added: Int64 = 0
            var removed: Int64 = 0
            var requests = 0
            var repeats = 0

            /// Adds what the server says of a request with some users.
            mutating func add(_ lines: Int, _ response: HTTPResponse) {
                let counts = try? JSONValue(parsing: response.body)
                users += lines
                added += counts?.count("added") ?? 0
                removed += counts?.count("removed") ?? 0
            }
        }

        /// Sends the file, and prints a summary.
        ///
        /// - Throws: `CommandError` if the file cannot be read, or the server refuses it.
        func run() async throws {
            let clock = ContinuousClock()
            let start = clock.now
            var progress = Progress(of: "users", on: Terminal(.error))
            var lines = try LineFile(file)
            var (summary, part) = (Summary(), [UInt8]())
            var firstLine = 1
            while true {
                let chunk = try lines.next(after: summary.users)
                let isFull = part.count + (chunk?.count ?? 0) > Self.partSize
                // An empty file is sent, too: it empties the list.
                if isFull || chunk == nil, !part.isEmpty || summary.requests == 0 {
                    try await send(part, firstLine, &summary)
                    firstLine += part.count { $0 == 0x0A }
                    part = []
                    if let text = progress.update(done: summary.users, after: clock.now - start) {
                        StandardStream.error.put(text)
                    }
                }
                guard let chunk else { break }
                part += chunk
            }
            if let text = progress.clear() { StandardStream.error.put(text) }
            try Self.print(summary, list, clock.now - start)
        }

        private static func print(_ summary: Summary, _ list: String, _ time: Duration) throws(CommandError) {
            func counted(_ count: Int, _ unit: String) -> String {
                "\(count.grouped) \(unit)\(count == 1 ? "" : "s")"
            }
            let repeated = summary.repeats > 0 ? ", \(summary.repeats.grouped) of them again" : ""
            let text =
                "\(list): \(counted(summary.users, "line")) in \(counted(summary.requests, "request"))\(repeated) and "
                + "\(time.logText): \(Int(summary.added).grouped) added, \(Int(summary.removed).grouped) removed\n"
            guard StandardStream.output.put(text) else { throw .unwritten("the summary") }
        }

        /// Sends a part of the file, again and again if the network or the server fails.
        private func send(_ part: [UInt8], _ firstLine: Int, _ summary: inout Summary) async throws {
            let request = request(part, replaces: replaces && firstLine == 1)
            var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30), random: .system)
            for attempt in 1... {
                summary.requests += 1
                let (problem, wait): (String, Duration)
                switch await Self.response(to: request) {
                case .failure(let error): (problem, wait) = ("\(error)", .zero)
                case .success(let response):
                    guard response.status != 200 else { return summary.add(part.lineCount, response) }
                    problem = Self.problem(response)
                    guard Self.isTemporary(response.status) else {
                        throw refusal(response, problem, firstLine, summary)
                    }
                    let seconds = response.headers["retry-after"].flatMap { Int64($0) } ?? 0
                    wait = .seconds(min(max(seconds, 0), 300))
                }
                guard attempt < Self.attempts else {
                    throw CommandError(
                        "\(list): given up after \(attempt) requests: \(problem)"
                            + (summary.users == 0 ? "" : state(of: summary)),
                        advice: "Is the server running at \(server)? Then run the command again.")
                }
                summary.repeats += 1
                let pause = max(backoff.delay(), wait)
                CommandLog().write(.warning, "\(list): \(problem); trying again in \(pause.logText)")
                try await Task.sleep(for: pause)
            }
        }

        private static func response(to request: HTTPRequest) async -> Result<HTTPResponse, any Error> {
            do { return .success(try await CurlTransport().send(request)) } catch { return .failure(error) }
        }

        private func request(_ part: [UInt8], replaces: Bool) -> HTTPRequest {
            let address = server.hasSuffix("/") ? String(server.dropLast()) : server
            let url =
                address + "/segments/" + list.percentEncodedSegment + "/users" + (replaces ? "?replace=true" : "")
            var headers = ["Content-Type": isTable ? "text/csv" : "application/x-ndjson"]
            headers["Authorization"] = token.map { "Bearer " + $0 }
            // Ten times what a part of a million users takes on a slow machine.
            return HTTPRequest(.post, url, headers: headers, body: part, deadline: .seconds(120))
        }

        private static func isTemporary(_ status: Int) -> Bool { status >= 500 || [408, 425, 429].contains(status) }

        /// What a response says is wrong.
        private static func problem(_ response: HTTPResponse) -> String {
            let text = try? JSONValue(parsing: response.body)
            if case .string(let error)? = text?["error"] { return "\(response.status): \(error)" }
            return "the server answered with status \(response.status)"
        }

        private func refusal(
            _ response: HTTPResponse, _ problem: String, _ firstLine: Int, _ summary: Summary
        ) -> CommandError {
            let place = firstLine > 1 ? " (counted from line \(firstLine.grouped) of the file)" : ""
            let advice: String? =
                switch response.status {
                case 401, 403: "Set \(SegmentsCommand.tokenVariable) to a management token with the scope \"flags\"."
                case 400: "Correct the line, and run the command again."
                default: nil
                }
            return CommandError(
                "\(list): \(problem)\(place)" + (summary.users == 0 ? "" : state(of: summary)), advice: advice)
        }

        /// What the list has after a failure.
        private func state(of summary: Summary) -> String {
            "; the list has the first \(summary.users.grouped) lines of the file"
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

    extension JSONValue {
        fileprivate func count(_ name: String) -> Int64? {
            if case .integer(let number)? = self[name] { number } else { nil }
        }
    }

    extension String {
        /// The text as a segment of a path.
        fileprivate var percentEncodedSegment: String {
            utf8.map { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"):
                    return String(Unicode.Scalar(byte))
                default:
                    let digits = String(byte, radix: 16, uppercase: true)
                    return digits.utf8.count == 1 ? "%0" + digits : "%" + digits
                }
            }.joined()
        }
    }
#endif
