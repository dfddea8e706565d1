package import TurnoutClient

/// Sends received events to another intake, such as the vendor's, at least once.
///
/// Forwarding has its own offset in the log. It advances when everything before it was answered, so a crash repeats at
/// most one page, and receivers drop the duplicates by their ids.
package final class EventForwarding: Sendable {
    package struct Options: Sendable {
        /// The approximate number of bytes of the log that are sent before the offset advances. Default: 1 MiB.
        package var pageSize = 1 << 20
        /// The maximum number of requests at the same time. Default: 8.
        package var concurrency = 8
        /// The time limit of a request. Default: 30 seconds.
        package var deadline = Duration.seconds(30)
        /// The pause when the log has no more records. Default: 1 second.
        package var idlePause = Duration.seconds(1)
        /// The first delay after a failure; it doubles with each further one. Default: 1 second.
        package var firstDelay = Duration.seconds(1)
        /// The longest delay after a failure. Default: 5 minutes.
        package var longestDelay = Duration.seconds(300)
        /// Whether bodies that differ only in their visitors are joined. Default: true.
        package var mergesBodies = true

        package init() {}
    }

    /// The numbers since the start.
    package struct Counts: Sendable, Equatable {
        /// The requests that the receiver accepted.
        package var delivered = 0
        /// The requests that the receiver refused for good, with status 400, 413 or 422.
        package var refused = 0
        /// The requests that failed and were or will be repeated.
        package var failed = 0

        package init() {}
    }

    private enum Outcome { case delivered, refused(Int), failed(String) }

    private struct State {
        var counts = Counts()
        /// The offset of what was sent, which stays if another process forgets the reader.
        var sent: Int64 = 0
        /// The number of pages that were begun, and whether the last one is being sent.
        var pages = 0
        var isSending = false
    }

    private let log: any EventLogReading
    private let address: String
    private let reader: String
    private let transport: any Transport
    private let options: Options
    private let clock: any Clock<Duration>
    private let work: RetriedWork
    private let messages: any Log
    private let state = Locked(State())

    /// Creates the forwarding of a log.
    ///
    /// - Parameters:
    ///   - log: The received bodies.
    ///   - address: The address of the other intake, such as `https://logx.optimizely.com/v1/events`.
    ///   - transport: Sends the requests.
    ///   - options: The options. Default: the standard ones.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - random: The source of jitter. Default: the system's.
    ///   - messages: Receives failures.
    package init(
        _ log: any EventLogReading, to address: String, over transport: any Transport, _ options: Options = Options(),
        clock: any Clock<Duration> = .continuous, random: any RandomSource = .system, messages: any Log
    ) {
        self.log = log
        self.address = address
        reader = EventReader.forwarding(to: address).name
        self.transport = transport
        self.options = options
        self.clock = clock
        self.messages = messages
        work = RetriedWork(
            failure: "events: not forwarded", recovery: "events: forwarded again",
            Backoff(first: options.firstDelay, longest: options.longestDelay, random: random), clock: clock,
            messages: messages)
    }

    /// The numbers since the start.
    package var counts: Counts { state.withLock { $0.counts } }

    /// Why forwarding makes no progress; nil if it does.
    package var problem: String? { work.problem }

    /// Registers the offset, so that the log keeps what was not forwarded, and forwards until the task is canceled.
    package func run() async {
        try? await BlockingCall.result { [log, reader] in
            try log.acknowledge(log.offset(of: reader), by: reader)
        }
        await work.run { try await forwardNext() ? .zero : options.idlePause }
    }

    /// Forwards the next page.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``EventForwardingError`` if a request failed; then the whole page is sent again later.
    package func forwardNext() async throws(EventForwardingError) -> Bool {
        let start = max(log.offset(of: reader), state.withLock { $0.sent })
        state.withLock { ($0.pages, $0.isSending) = ($0.pages + 1, true) }
        defer { state.withLock { $0.isSending = false } }
        do {
            let page = try await BlockingCall.result { [log, options] in
                try log.read(from: start, size: options.pageSize)
            }
            guard page.next > start else { return false }
            let bodies = page.records.map(\.body).filter { !PlatformBody.matches($0) }
            try await send(options.mergesBodies ? EventBodyMerging().merged(bodies) : bodies)
            try await BlockingCall.result { [log, reader] in try log.acknowledge(page.next, by: reader) }
            state.withLock { $0.sent = page.next }
            // Also past records that an erasure has emptied.
            return true
        } catch let error as EventForwardingError { throw error } catch {
            throw EventForwardingError(message: "\(error)")
        }
    }

    /// Waits until bodies that were read before the call are sent, or will be read again.
    func waitForPageInProgress() async {
        let page = state.withLock { $0.pages }
        while state.withLock({ $0.isSending && $0.pages == page }), !Task.isCancelled {
            try? await clock.sleep(for: .milliseconds(50), tolerance: nil)
        }
    }

    /// Sends bodies, several at the same time.
    private func send(_ bodies: [[UInt8]]) async throws {
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            var rest = bodies[...]
            var outcomes: [Outcome] = []
            var failed = false
            for body in rest.prefix(options.concurrency) { group.addTask { await self.send(body) } }
            rest = rest.dropFirst(options.concurrency)
            while let outcome = await group.next() {
                outcomes.append(outcome)
                if case .failed = outcome { failed = true }
                // After a failure the rest would probably fail, too.
                if !failed, let body = rest.popFirst() { group.addTask { await self.send(body) } }
            }
            return outcomes
        }
        try record(outcomes)
    }

    private func record(_ outcomes: [Outcome]) throws {
        var (problem, status): (String?, Int?) = (nil, nil)
        var counts = Counts()
        for outcome in outcomes {
            switch outcome {
            case .delivered: counts.delivered += 1
            case .refused(let code): (counts.refused, status) = (counts.refused + 1, code)
            case .failed(let text): (counts.failed, problem) = (counts.failed + 1, text)
            }
        }
        state.withLock {
            $0.counts.delivered += counts.delivered
            $0.counts.refused += counts.refused
            $0.counts.failed += counts.failed
        }
        if let status {
            messages(
                .error,
                "events: the receiver refused \(counts.refused) requests with status \(status); they are not sent "
                    + "again, but are among the processed events")
        }
        if let problem { throw EventForwardingError(message: problem) }
    }

    /// Advice to the operator about a status that does not end by itself; nil for others.
    private static func advice(_ status: Int) -> String? {
        switch status {
        case 401, 403, 407: "check the credentials in the address, and whether the receiver allows this machine"
        case 300..<400: "redirects are not followed: use the address that it names"
        case 408, 425, 429: nil
        case 400..<500: "check the address"
        default: nil
        }
    }

    private func send(_ body: [UInt8]) async -> Outcome {
        let request = HTTPRequest(
            .post, address, headers: ["Content-Type": "application/json"], body: body, deadline: options.deadline)
        do {
            let response = try await transport.send(request)
            switch response.status {
            case 200..<300: return .delivered
            // As in a client's own queue: other statuses say nothing about this body, so it stays.
            case 400, 413, 422: return .refused(response.status)
            default:
                let advice = Self.advice(response.status).map { "; \($0)" } ?? ""
                return .failed("the receiver answered with status \(response.status)\(advice)")
            }
        } catch {
            return .failed(error.logText)
        }
    }
}

/// Why a page was not forwarded. Contains no personal data.
package struct EventForwardingError: Error, Sendable, Equatable, PrintableError {
    /// A description of the failure.
    package let message: String
    /// A description of the failure.
    package var description: String { message }
}

/// The bodies in the log of events that the server made of events for its data platform.
///
/// They are processed like others, but not forwarded: another intake did not ask for them.
private enum PlatformBody {
    /// How they begin, unlike all bodies of clients.
    private static let opening = "{\"type\":\"platform\","

    /// Whether a body is one of them.
    static func matches(_ body: [UInt8]) -> Bool { body.starts(with: opening.utf8) }
}
