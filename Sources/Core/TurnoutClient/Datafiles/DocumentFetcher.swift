/// Fetches one document from a server, and caches the last usable copy. Its owner sends the requests.
///
/// Each copy is parsed once. Requests are conditional once there is a usable copy, and concurrent callers share one. A
/// response replaces the copy only if it is usable; otherwise the copy and its validators stay, and the next request
/// tries again.
package final class DocumentFetcher<Content: Sendable>: Sendable {
    /// A usable copy with what it contains.
    package struct Document: Sendable {
        /// The bytes and their validators.
        package let copy: DatafileCopy
        package let content: Content
    }

    /// The properties of one kind of document.
    package struct Kind: Sendable {
        /// The name of the document in log entries, such as `datafile`.
        package let name: String
        package let parse: @Sendable (DatafileCopy) throws -> Content
        /// Throws if a downloaded document must not replace the current one. Default: every document may.
        package let check: @Sendable (_ new: Content, _ current: Content) throws -> Void
        /// The error for an unusable status, with the server's `Retry-After`; nil: "not modified" without a copy.
        package let failure: @Sendable (_ status: Int?, _ retryAfter: Duration?) -> any Error

        /// Describes a kind of document.
        package init(
            name: String, parse: @escaping @Sendable (DatafileCopy) throws -> Content,
            check: @escaping @Sendable (_ new: Content, _ current: Content) throws -> Void = { _, _ in },
            failure: @escaping @Sendable (_ status: Int?, _ retryAfter: Duration?) -> any Error
        ) {
            self.name = name
            self.parse = parse
            self.check = check
            self.failure = failure
        }
    }

    private let kind: Kind
    private let cache: any DatafileCache
    private let key: String
    private let log: any Log
    private struct State {
        /// The newest usable document, or nil if there is none.
        var document: Document?
        /// Whether the copy of an earlier process was looked for.
        var hasReadCache = true
        /// Whether the cache has the document.
        var isCached = false
    }

    private let state = Locked(State(hasReadCache: false))
    private let requests = SingleFlight<Bool, Result<Document?, any Error>>()

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - kind: What the document is.
    ///   - cache: Stores the last usable copy.
    ///   - key: The key of the copy.
    ///   - log: Receives failures of the cache; other failures are thrown.
    package init(_ kind: Kind, cache: any DatafileCache, key: String, log: any Log) {
        self.kind = kind
        self.cache = cache
        self.key = key
        self.log = log
    }

    /// The last usable document: downloaded by this process, or cached by an earlier one.
    package var current: Document? {
        let (document, hasReadCache) = state.withLock { ($0.document, $0.hasReadCache) }
        if hasReadCache { return document }
        let cached = cachedDocument()
        return state.withLock { state in
            if !state.hasReadCache { state = State(document: cached, isCached: cached != nil) }
            return state.document
        }
    }

    private func cachedDocument() -> Document? {
        guard let copy = cachedCopy() else { return nil }
        do { return Document(copy: copy, content: try kind.parse(copy)) } catch {
            log.failure(.warning, "the cached \(kind.name) cannot be used and is ignored", error)
            return nil
        }
    }

    /// Requests a newer document. Concurrent callers share the request.
    ///
    /// - Parameter send: Sends the request, with the headers that make it conditional.
    /// - Returns: The document, or nil if the current one is the newest.
    /// - Throws: The errors of ``Kind`` and of `send`, or `CancellationError`.
    package func newest(
        _ send: @escaping @Sendable (_ conditions: [String: String]) async throws -> HTTPResponse
    ) async throws -> Document? {
        try await requests.value(for: true) {
            do { return .success(try await self.request(send)) } catch { return .failure(error) }
        }.get()
    }

    private func request(
        _ send: @Sendable (_ conditions: [String: String]) async throws -> HTTPResponse
    ) async throws -> Document? {
        let current = current
        let response = try await send(current?.copy.conditions ?? [:])
        switch response.status {
        case 200:
            let copy = DatafileCopy(response)
            return copy == current?.copy ? nil : try accept(copy)
        case 304 where current != nil: return nil
        case 304: throw kind.failure(nil, nil)
        default: throw kind.failure(response.status, response.retryAfter)
        }
    }

    /// Makes a copy the current one, and caches it.
    ///
    /// - Returns: Its document, or nil if it contains the same bytes as the current one.
    /// - Throws: The errors of ``Kind``, if it cannot be used.
    package func accept(_ copy: DatafileCopy) throws -> Document? {
        let current = current
        if let current, copy.datafile == current.copy.datafile {
            store(Document(copy: copy, content: current.content))
            return nil
        }
        let new = Document(copy: copy, content: try kind.parse(copy))
        if let current, !wasForgotten { try kind.check(new.content, current.content) }
        store(new)
        return new
    }

    /// Whether the copy was removed from the cache since this object stored or read it.
    private var wasForgotten: Bool { state.withLock { $0.isCached } && cachedCopy() == nil }

    private func store(_ new: Document) {
        state.withLock { $0 = State(document: new, isCached: false) }
        do {
            try cache.keep(new.copy, for: key)
            state.withLock { $0.isCached = true }
        } catch {
            log.failure(
                .warning,
                "the \(kind.name) is in use, but could not be cached; the next start has to download it", error)
        }
    }

    private func cachedCopy() -> DatafileCopy? {
        do { return try cache.copy(for: key) } catch {
            log.failure(.warning, "the cached \(kind.name) cannot be read and is ignored", error)
            return nil
        }
    }
}
