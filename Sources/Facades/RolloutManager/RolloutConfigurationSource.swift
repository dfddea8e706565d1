import Foundation
public import TurnoutClient
package import TurnoutRollouts

/// Loads a configuration from a file or a server, and caches the last usable one from a server for starts without a
/// network.
///
/// ```swift
/// let source = RolloutConfigurationSource(url: "https://example.com/rollout.plist")
/// manager.setup(with: source)
/// source.startRefreshing(every: .seconds(600))
/// ```
///
/// A new configuration replaces the current one only if it is readable as a whole: a property list in XML or binary
/// form, or JSON, with a dictionary of experiments. An invalid experiment in it gives the callers' defaults, with a
/// warning in the log. Managers that are set up with the source use the configuration that it loaded last.
public final class RolloutConfigurationSource: Sendable {
    private let fetcher: DocumentFetcher<RolloutConfiguration>
    private let send: @Sendable (_ conditions: [String: String]) async throws -> HTTPResponse
    private let options: RolloutSourceOptions
    private let polling = Locked<Task<Void, Never>?>(nil)

    /// Creates a source that loads from a server. It starts with the configuration cached by an earlier run, if any.
    ///
    /// - Parameters:
    ///   - url: The URL; `https`, unless the transport allows others.
    ///   - transport: Sends the requests. Default: nil, libcurl on Linux with the package's trait `Curl`, Foundation's
    ///     URL session otherwise.
    ///   - cache: Stores the last usable configuration, under the host and a hash of the URL. Default: nil, a SQLite
    ///     file of the program.
    ///   - options: The options for loading. Default: the standard options.
    public convenience init(
        url: String, transport: (any Transport)? = nil, cache: (any DatafileCache)? = nil,
        options: RolloutSourceOptions = RolloutSourceOptions()
    ) {
        let transport = transport ?? ProgramStorage.transport
        self.init(cache ?? ProgramStorage.configurations, Self.cacheKey(of: url), options) { conditions in
            try await Self.response(of: url, conditions, over: transport, options)
        }
        _ = fetcher.current
    }

    /// Creates a source that loads from a file, and loads it immediately.
    ///
    /// - Parameters:
    ///   - path: The path of the file. If the file is unusable, that is logged, and the next refresh tries again.
    ///   - options: The options for loading. Default: the standard options.
    public convenience init(file path: String, options: RolloutSourceOptions = RolloutSourceOptions()) {
        let contents: @Sendable () throws(RolloutSourceError) -> [UInt8] = { () throws(RolloutSourceError) in
            try RolloutSourceError.contents(ofFile: path, limit: options.maximumSize)
        }
        self.init(.memory, path, options) { _ in HTTPResponse(status: 200, body: try contents()) }
        do { _ = try fetcher.accept(DatafileCopy(datafile: try contents())) } catch {
            options.log.ofThisModule.failure(.warning, "defaults apply until a refresh succeeds", error)
        }
    }

    private init(
        _ cache: any DatafileCache, _ key: String, _ options: RolloutSourceOptions,
        _ send: @escaping @Sendable (_ conditions: [String: String]) async throws -> HTTPResponse
    ) {
        (self.send, self.options) = (send, options)
        let kind = DocumentFetcher<RolloutConfiguration>.Kind(name: "rollout configuration") { copy in
            try RolloutConfiguration(checking: copy.datafile, options)
        } failure: { status, retryAfter in
            status.map { RolloutSourceError.status($0, retryAfter: retryAfter) } ?? .unexpectedNotModified
        }
        fetcher = DocumentFetcher(kind, cache: cache, key: key, log: options.log.ofThisModule)
    }

    deinit { polling.withLock { $0 }?.cancel() }

    /// The last loaded configuration, or nil if there is none yet.
    package var configuration: RolloutConfiguration? { fetcher.current?.content }

    // MARK: Refreshing

    /// Loads the current configuration. Concurrent calls share one load.
    ///
    /// - Returns: Whether the configuration has changed.
    /// - Throws: ``RolloutSourceError``, or a transport's error. The current configuration then stays in use.
    @discardableResult
    public func refresh() async throws -> Bool { try await fetcher.newest(send) != nil }

    /// Refreshes at intervals, starting immediately, until the source is released or ``stopRefreshing()`` is called.
    /// Failures are logged; from the second consecutive failure on, the interval doubles, up to an hour.
    ///
    /// - Parameter interval: The interval, which varies randomly by up to a tenth. Less than
    ///   ``RolloutSourceOptions/minimumInterval`` is raised to that.
    public func startRefreshing(every interval: Duration) {
        var schedule = PollingSchedule(interval: interval, floor: options.minimumInterval, random: options.random)
        let task = Task.detached { [weak self, options] in
            while true {
                do {
                    guard let self else { return }
                    try await self.refresh()
                    schedule.succeeded()
                } catch {
                    schedule.failed(retryAfter: (error as? RolloutSourceError)?.retryAfter)
                    options.log.ofThisModule.failure(
                        .warning, "the refresh failed, nothing changes, and it will be tried again", error)
                }
                guard (try? await options.clock.pause(for: schedule.delay())) != nil else { return }
            }
        }
        swapPolling(task)
    }

    /// Stops refreshing at intervals.
    public func stopRefreshing() { swapPolling(nil) }

    private func swapPolling(_ task: Task<Void, Never>?) {
        let earlier = polling.withLock { polling in
            defer { polling = task }
            return polling
        }
        earlier?.cancel()
    }

    private static func response(
        of url: String, _ conditions: [String: String], over transport: any Transport, _ options: RolloutSourceOptions
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(.get, url, headers: conditions, deadline: options.deadline)
        request.maximumResponseSize = options.maximumSize
        do { return try await transport.send(request) } catch let error as TransportError {
            guard error.code == .tooLarge else { throw error }
            throw RolloutSourceError.tooLarge(options.maximumSize + 1, limit: options.maximumSize)
        }
    }

    /// The key does not contain the URL itself, which may contain secrets.
    package static func cacheKey(of url: String) -> String {
        "\(URL(string: url)?.host() ?? "") \(ProgramStorage.fingerprint(of: url))"
    }
}

extension RolloutConfiguration {
    /// Reads a configuration, with warnings in the log for experiments that cannot be used.
    fileprivate init(checking contents: [UInt8], _ options: RolloutSourceOptions) throws(RolloutSourceError) {
        guard contents.count <= options.maximumSize else { throw .tooLarge(contents.count, limit: options.maximumSize) }
        try self.init(checking: contents, log: options.log.ofThisModule)
    }
}

/// The options of a ``RolloutConfigurationSource``.
public struct RolloutSourceOptions: Sendable {
    /// The time limit for a server's complete response. Default: 10 seconds.
    public var deadline = Duration.seconds(10)
    /// The maximum size of a configuration, in bytes. Default: 1 MiB.
    public var maximumSize = 1 << 20
    /// The minimum interval between two refreshes; a shorter interval is raised to it. Default: 30 seconds.
    public var minimumInterval = Duration.seconds(30)
    /// The clock for the interval between two refreshes. Default: the system's clock.
    public var clock: any Clock<Duration> = .continuous
    /// The source of randomness that varies the interval, so that devices do not refresh simultaneously. Default: the
    /// system's random numbers.
    public var random: any RandomSource = .system
    /// The log for warnings about configurations and for errors. Default: standard error.
    public var log: any Log = .standardError

    /// Creates the standard options.
    public init() {}
}

/// An error while loading a configuration. The current configuration stays in use.
public enum RolloutSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be read. Contains the system's error message.
    case unreadable(String)
    /// The server responded with a status other than 200 and 304. Contains the back-off that it asks for, if any.
    case status(Int, retryAfter: Duration? = nil)
    /// The server responded with 304, not modified, to a request without validators.
    case unexpectedNotModified
    /// The configuration is too large. Contains its size, as far as it was read, and the limit, in bytes.
    case tooLarge(Int, limit: Int)
    /// The contents are neither a property list nor JSON, or not a dictionary. Contains the problem and its position.
    case unusable(String)

    /// The error message.
    public var description: String {
        switch self {
        case .unreadable(let problem): "the configuration file cannot be read: \(problem)"
        case .status(let status, _): "the server of the configuration responded with HTTP status \(status)"
        case .unexpectedNotModified:
            "the server of the configuration responded with 304, not modified, but there is no earlier copy"
        case .tooLarge(let size, let limit):
            "the configuration has \(size) bytes or more; the limit, maximumSize, is \(limit)"
        case .unusable(let problem): "the configuration cannot be used: \(problem)"
        }
    }

    /// The back-off that the server asks for, or nil if it does not specify one.
    var retryAfter: Duration? { if case .status(_, let time) = self { time } else { nil } }

    /// The contents of a file.
    static func contents(ofFile path: String, limit: Int) throws(RolloutSourceError) -> [UInt8] {
        let contents: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            // Limited, because some files are endless.
            contents = try file.read(upToCount: limit + 1) ?? Data()
        } catch { throw .unreadable(error.localizedDescription) }
        guard contents.count <= limit else { throw .tooLarge(contents.count, limit: limit) }
        return Array(contents)
    }
}

extension RolloutSourceError: PrintableError {}
