/// Gets datafiles from a server, and keeps the last good one.
///
/// ```swift
/// configuration.datafiles = .http(sdkKey: "…", transport: transport)
/// ```
///
/// A server that was asked before is only asked for changes. What it hands out replaces the kept copy only if it can be
/// used as a whole and belongs to the same project and SDK key; otherwise the copy stays, together with what the server
/// called it, and the next request asks again. Many may ask at once; they share one request, which ends when nobody
/// waits for it any longer.
public final class HTTPDatafileSource: DatafileSource {
    private struct State {
        var request: Request?
        var requestCount = 0
        var outcome = DatafileOutcome.fromCache
        /// The newest copy, if the cache could not keep it.
        var unkept: DatafileCopy?
        /// The revision that was handed out last, or nil: none was.
        var revision: String?
    }

    private struct Request {
        let number: Int
        let task: Task<[UInt8]?, any Error>
        var waiting: Int
    }

    /// A copy that can be used.
    private struct Kept {
        let copy: DatafileCopy
        let project: Project
    }

    private let sdkKey: String
    private let transport: any Transport
    private let cache: any DatafileCache
    private let options: HTTPDatafileOptions
    private let state = Locked(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the project's environment. Without one every request fails.
    ///   - transport: How to reach the server.
    ///   - cache: Keeps the last good datafile. Default: in memory.
    ///   - options: Whom to ask, and how. Default: the vendor's server.
    public init(
        sdkKey: String, transport: any Transport, cache: some DatafileCache = .memory,
        options: HTTPDatafileOptions = HTTPDatafileOptions()
    ) {
        self.sdkKey = sdkKey
        self.transport = transport
        self.cache = cache
        self.options = options
    }

    /// What the last request ended with. Tells a current datafile from a stale one.
    public var lastOutcome: DatafileOutcome { state.withLock { $0.outcome } }

    /// The kept copy, or nil: there is none that can be used.
    public func kept() -> [UInt8]? { usableCopy().map { handOut($0) } }

    /// Asks the server for a newer datafile.
    ///
    /// - Throws: ``DatafileSourceError``, `TransportError`, or `CancellationError`.
    public func newest() async throws -> [UInt8]? {
        let (task, number) = join()
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            leave(number)
        }
    }

    // MARK: One request for all who ask at once

    private func join() -> (Task<[UInt8]?, any Error>, Int) {
        state.withLock { state in
            if let request = state.request {
                state.request?.waiting += 1
                return (request.task, request.number)
            }
            state.requestCount += 1
            let number = state.requestCount
            let task = Task { try await ask(number) }
            state.request = Request(number: number, task: task, waiting: 1)
            return (task, number)
        }
    }

    private func leave(_ number: Int) {
        let abandoned = state.withLock { state -> Task<[UInt8]?, any Error>? in
            guard state.request?.number == number else { return nil }
            state.request?.waiting -= 1
            guard state.request?.waiting == 0 else { return nil }
            // Whoever asks from now on does not get the cancellation of others.
            defer { state.request = nil }
            return state.request?.task
        }
        abandoned?.cancel()
    }

    private func ask(_ number: Int) async throws -> [UInt8]? {
        let result: Result<[UInt8]?, any Error>
        do { result = .success(try await download()) } catch { result = .failure(error) }
        state.withLock { state in
            switch result {
            case .success(nil): state.outcome = .unchanged
            case .success: state.outcome = .fresh
            // Nobody waits for the answer any longer; nothing is known of the server.
            case .failure(is CancellationError): break
            case .failure(let error): state.outcome = .failed(error)
            }
            if state.request?.number == number { state.request = nil }
        }
        return try result.get()
    }

    // MARK: The request

    private func download() async throws -> [UInt8]? {
        var request = HTTPRequest(.get, try options.address(of: sdkKey), deadline: options.deadline)
        request.headers = try options.credentials()
        let kept = usableCopy()
        if let kept { request.headers.merge(kept.copy.conditions) { $1 } }
        let response = try await transport.send(request)
        switch response.status {
        case 200: return try accept(response, kept)
        case 304:
            guard let kept else { throw DatafileSourceError.unchangedSinceNothing }
            return handOutIfOthersKeptIt(kept)
        default: throw DatafileSourceError.status(response.status, retryAfter: response.retryAfter)
        }
    }

    /// Keeps the datafile of an answer, and returns it; nil: it is the one that is kept.
    private func accept(_ response: HTTPResponse, _ kept: Kept?) throws(DatafileSourceError) -> [UInt8]? {
        let new = DatafileCopy(response)
        if let kept, new == kept.copy { return handOutIfOthersKeptIt(kept) }
        let project = try project(of: new)
        if let kept, kept.project.projectID != project.projectID {
            throw .otherProject(project.projectID, kept: kept.project.projectID)
        }
        keep(new)
        let newest = Kept(copy: new, project: project)
        return new.datafile == kept?.copy.datafile ? handOutIfOthersKeptIt(newest) : handOut(newest)
    }

    private func handOut(_ kept: Kept) -> [UInt8] {
        state.withLock { $0.revision = kept.project.revision }
        return kept.copy.datafile
    }

    /// The datafile of a copy that has not changed, if it is another one than this source handed out; nil: it is not.
    ///
    /// Another source with the same cache may have got it; otherwise it would never be news here.
    private func handOutIfOthersKeptIt(_ kept: Kept) -> [UInt8]? {
        let known = state.withLock { $0.revision }
        return known == nil || known == kept.project.revision ? nil : handOut(kept)
    }

    private func project(of copy: DatafileCopy) throws(DatafileSourceError) -> Project {
        guard copy.datafile.count <= options.maximumSize else {
            throw .tooLarge(copy.datafile.count, limit: options.maximumSize)
        }
        let project: Project
        do throws(DatafileError) {
            project = try Project(datafile: copy.datafile, format: options.format)
        } catch { throw .datafile(error) }
        let named = options.isProjectID ? project.projectID : project.sdkKey
        if let named, !named.isEmpty, named != sdkKey { throw .otherKey }
        return project
    }

    // MARK: The copy

    private func usableCopy() -> Kept? {
        guard !sdkKey.isEmpty, let copy = copy() else { return nil }
        do throws(DatafileSourceError) {
            return Kept(copy: copy, project: try project(of: copy))
        } catch {
            options.log(.warning, "the kept datafile cannot be used and counts as none: \(error)")
            return nil
        }
    }

    private func copy() -> DatafileCopy? {
        if let copy = state.withLock({ $0.unkept }) { return copy }
        do { return try cache.copy(for: sdkKey) } catch {
            options.log.failure(.warning, "the kept datafile cannot be read and counts as none", error)
            return nil
        }
    }

    private func keep(_ copy: DatafileCopy) {
        do {
            try cache.keep(copy, for: sdkKey)
            state.withLock { $0.unkept = nil }
        } catch {
            options.log.failure(.warning, "the datafile cannot be kept for the next start", error)
            state.withLock { $0.unkept = copy }
        }
    }
}

extension DatafileSource where Self == HTTPDatafileSource {
    /// A server; the vendor's, unless the options name another one.
    public static func http(
        sdkKey: String, transport: any Transport, cache: some DatafileCache = .memory,
        options: HTTPDatafileOptions = HTTPDatafileOptions()
    ) -> HTTPDatafileSource {
        HTTPDatafileSource(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
    }
}
