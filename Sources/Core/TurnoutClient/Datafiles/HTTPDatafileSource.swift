/// Downloads datafiles from a server, and caches the last good one.
///
/// ```swift
/// configuration.datafiles = .http(sdkKey: "…", transport: transport)
/// ```
///
/// Requests are conditional once there is a copy. A response replaces the cached copy only if it is usable and belongs
/// to the same project and SDK key; otherwise the copy and its validators stay, and the next request tries again.
/// Concurrent callers share one request, which is canceled when none of them waits any longer.
public final class HTTPDatafileSource: DatafileSource {
    private let fetcher: DocumentFetcher<Project>
    private let sdkKey: String
    private let transport: any Transport
    private let options: HTTPDatafileOptions
    private let outcome = Locked(DatafileOutcome.fromCache)

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the project's environment. If it is empty, every request fails.
    ///   - transport: The transport to the server.
    ///   - cache: Keeps the last good datafile. Default: in memory.
    ///   - options: The server and the request options. Default: the vendor's server.
    public init(
        sdkKey: String, transport: any Transport, cache: some DatafileCache = .memory,
        options: HTTPDatafileOptions = HTTPDatafileOptions()
    ) {
        (self.sdkKey, self.transport, self.options) = (sdkKey, transport, options)
        fetcher = DocumentFetcher(.datafile(sdkKey, options), cache: cache, key: sdkKey, log: options.log)
    }

    /// The outcome of the last request. Distinguishes a current datafile from a stale one.
    public var lastOutcome: DatafileOutcome { outcome.withLock { $0 } }

    /// The entity tag of the newest copy, or nil.
    package var entityTag: String? { sdkKey.isEmpty ? nil : fetcher.current?.copy.entityTag }

    /// The datafile of the last usable response, or else of the cached copy; nil if there is neither.
    public func cached() -> Datafile? { sdkKey.isEmpty ? nil : fetcher.current.map(Datafile.init) }

    /// Requests a newer datafile.
    ///
    /// - Throws: ``DatafileSourceError``, `TransportError`, or `CancellationError`.
    public func newest() async throws -> Datafile? {
        do {
            let newest = try await fetcher.newest { [sdkKey, transport, options] conditions in
                var request = HTTPRequest(.get, try options.address(of: sdkKey), deadline: options.deadline)
                request.headers = try options.credentials().merging(conditions) { $1 }
                return try await transport.send(request)
            }
            outcome.withLock { $0 = newest == nil ? .unchanged : .fresh }
            return newest.map(Datafile.init)
        } catch is CancellationError {
            // All callers have stopped waiting; the outcome of the request is unknown.
            throw CancellationError()
        } catch {
            outcome.withLock { $0 = .failed(error) }
            throw error
        }
    }
}

extension Datafile {
    fileprivate init(_ document: DocumentFetcher<Project>.Document) {
        self.init(document.copy.datafile, project: document.content)
    }
}

extension DocumentFetcher<Project>.Kind {
    /// The datafile of an SDK key. It is parsed by `parse`, or if that is nil in the format of the options.
    package static func datafile(
        _ sdkKey: String, _ options: HTTPDatafileOptions,
        parse: (@Sendable ([UInt8]) throws(DatafileError) -> Project)? = nil
    ) -> Self {
        Self(name: "datafile") { copy in
            try options.project(of: copy.datafile, sdkKey: sdkKey, parse)
        } check: { new, current throws(DatafileSourceError) in
            guard !options.checksIdentity || new.projectID == current.projectID else {
                throw .otherProject(new.projectID, kept: current.projectID)
            }
        } failure: { status, retryAfter in
            status.map { DatafileSourceError.status($0, retryAfter: retryAfter) } ?? .unexpectedNotModified
        }
    }
}

extension HTTPDatafileOptions {
    /// Parses a datafile, and checks that it is the one for a key.
    fileprivate func project(
        of datafile: [UInt8], sdkKey: String, _ parse: (([UInt8]) throws(DatafileError) -> Project)?
    ) throws(DatafileSourceError) -> Project {
        guard datafile.count <= maximumSize else { throw .tooLarge(datafile.count, limit: maximumSize) }
        let project: Project
        do throws(DatafileError) {
            project = if let parse { try parse(datafile) } else { try Project(datafile: datafile, format: format) }
        } catch { throw .datafile(error) }
        let named = isProjectID ? project.projectID : project.sdkKey
        if checksIdentity, let named, !named.isEmpty, named != sdkKey {
            throw isProjectID ? .unexpectedProject(named, expected: sdkKey) : .otherKey(named, expected: sdkKey)
        }
        return project
    }
}

extension DatafileSource where Self == HTTPDatafileSource {
    /// Creates a source for a server; the vendor's, unless the options specify another one.
    public static func http(
        sdkKey: String, transport: any Transport, cache: some DatafileCache = .memory,
        options: HTTPDatafileOptions = HTTPDatafileOptions()
    ) -> HTTPDatafileSource {
        HTTPDatafileSource(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
    }
}
