/// Downloads datafiles from a server, and learns about changes from a stream that the server sends.
///
/// ```swift
/// var datafiles = HTTPDatafileOptions()
/// datafiles.address = "https://flags.example.com/datafiles/{sdkKey}.json"
/// configuration.datafiles = .streaming(sdkKey: "…", transport: .curl, options: datafiles)
/// configuration.pollingInterval = .seconds(60)
/// ```
///
/// `turnout serve` has such streams; the vendor's servers do not. A client keeps the stream open while it runs, and
/// downloads the datafile when a change is announced: on one machine a decision changes some milliseconds after the
/// server's datafile. The client also polls as configured, whether the stream is open or not, so it never learns about
/// a change later than with ``HTTPDatafileSource``; without an interval it depends on the stream alone. An unchanged
/// datafile costs a request without content.
///
/// A broken stream is reopened after about one second; further failures increase the delay to about 30 seconds, with
/// jitter. A stream on which nothing arrives for ``HTTPDatafileOptions/changesIdleLimit`` counts as broken. If the
/// server refuses the stream, as one without streams does with 404, the next attempt follows after about five minutes.
/// ``DatafileStatus/stream`` tells whether it is open.
public final class StreamingDatafileSource: DatafileSource {
    private let source: HTTPDatafileSource
    private let stream: DatafileStream

    /// Creates a source. The stream is opened when a client with the source starts.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the project's environment. If it is empty, every request fails.
    ///   - transport: The transport to the server.
    ///   - cache: Keeps the last good datafile. Default: in memory.
    ///   - options: The server and the request options. The address must be set: the vendor's servers have no streams.
    public init(
        sdkKey: String, transport: any StreamingTransport, cache: some DatafileCache = .memory,
        options: HTTPDatafileOptions = HTTPDatafileOptions()
    ) {
        source = HTTPDatafileSource(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
        stream = DatafileStream(transport: transport, idleLimit: options.changesIdleLimit) {
            () throws(DatafileSourceError) in
            var request = HTTPRequest(.get, try options.changesAddress(of: sdkKey), deadline: options.deadline)
            request.headers = try options.credentials()
            return request
        }
    }

    /// The outcome of the last request for the datafile. Distinguishes a current datafile from a stale one.
    public var lastOutcome: DatafileOutcome { source.lastOutcome }

    /// The datafile of the last usable response, or else of the cached copy; nil if there is neither.
    public func cached() -> Datafile? { source.cached() }

    /// Requests a newer datafile.
    ///
    /// - Throws: ``DatafileSourceError``, `TransportError`, or `CancellationError`.
    public func newest() async throws -> Datafile? { try await source.newest() }
}

extension StreamingDatafileSource: ChangeReportingSource {
    package var entityTag: String? { source.entityTag }

    package func reportChanges(
        clock: any Clock<Duration>, random: any RandomSource,
        to report: @escaping @Sendable (DatafileChangeReport) -> Void
    ) async {
        await stream.listen(clock: clock, random: random, to: report)
    }
}

extension DatafileSource where Self == StreamingDatafileSource {
    /// Creates a source for a server that sends changes.
    public static func streaming(
        sdkKey: String, transport: any StreamingTransport, cache: some DatafileCache = .memory,
        options: HTTPDatafileOptions = HTTPDatafileOptions()
    ) -> StreamingDatafileSource {
        StreamingDatafileSource(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
    }
}
