public import Foundation
import TurnoutClient

// MARK: Starting with a bundled datafile

extension OptimizelyClient {
    /// Starts the client with a datafile; see
    /// ``start(datafile:doUpdateConfigOnNewDatafile:doFetchDatafileBackground:)-(Data,_,_)``.
    public func start(datafile: String) throws { try start(datafile: Data(datafile.utf8)) }

    /// Starts the client with a datafile; see
    /// ``start(datafile:doUpdateConfigOnNewDatafile:doFetchDatafileBackground:)-(Data,_,_)``.
    public func start(
        datafile: String, doUpdateConfigOnNewDatafile: Bool, doFetchDatafileBackground: Bool = true
    ) throws {
        try start(
            datafile: Data(datafile.utf8), doUpdateConfigOnNewDatafile: doUpdateConfigOnNewDatafile,
            doFetchDatafileBackground: doFetchDatafileBackground)
    }

    /// Starts the client with the cached datafile, or with the given one if no usable datafile of the same project is
    /// cached. Then downloads the current datafile in the background, even if neither datafile is usable.
    ///
    /// - Parameters:
    ///   - datafile: The datafile bundled with the program; empty if there is none.
    ///   - doUpdateConfigOnNewDatafile: Whether a downloaded datafile takes effect immediately instead of at the next
    ///     start. Always the case if a polling interval is set. Default: false.
    ///   - doFetchDatafileBackground: Whether to download the current datafile in the background. Default: true.
    /// - Throws: `dataFileInvalid` or `dataFileVersionInvalid` if neither the cached nor the given datafile is usable;
    ///   the client then keeps the datafile it already had, if any.
    public func start(
        datafile: Data, doUpdateConfigOnNewDatafile: Bool = false, doFetchDatafileBackground: Bool = true
    ) throws {
        defer { if doFetchDatafileBackground { download(updating: doUpdateConfigOnNewDatafile) } }
        do throws(StartError) {
            let earlier = try earlier(or: datafile)
            configure(earlier.project, earlier.origin)
        } catch {
            // The client recovers with the first datafile that polling downloads.
            if doFetchDatafileBackground, let handler = datafileHandler {
                parts.shared.startUpdates(of: self, from: handler)
            }
            throw report(error)
        }
    }

    /// Downloads the current datafile for the next start; it takes effect immediately if the client polls or `updating`
    /// is true.
    private func download(updating: Bool) {
        guard let handler = datafileHandler else { return }
        let sdkKey = parts.sdkKey
        handler.downloadDatafile(sdkKey: sdkKey, returnCacheIfNoChange: false, resourceTimeoutInterval: nil) {
            [weak self] result in
            guard let self, case .success(let data?) = result else { return }
            if updating || self.datafileHandler?.hasPeriodicInterval(sdkKey: sdkKey) == true { self.update(to: data) }
        }
    }

    /// The datafile that needs no network: the cached or the bundled one.
    private func earlier(
        or bundled: Data?
    ) throws(StartError) -> (project: Project, datafile: Data, origin: DatafileStatus.Origin) {
        let (cached, handler) = (cached(), datafileHandler)
        let prefersHigher = (handler as? DefaultDatafileHandler)?.prefersHigherRevision ?? false
        let chosen = try EarlierDatafile(cached: cached?.project, prefersHigherRevision: prefersHigher, log: parts.log)
        {
            () throws(StartError) in
            guard let bundled, !bundled.isEmpty else { throw .unavailable(nil) }
            return try parts.read(bundled, of: handler)
        }
        return (chosen.project, (chosen.isBundled ? bundled : cached?.datafile) ?? Data(), chosen.origin)
    }

    /// The cached datafile and its project, or nil if there is no usable one.
    private func cached() -> (datafile: Data, project: Project)? {
        guard !parts.sdkKey.isEmpty, let handler = datafileHandler,
            let cached = handler.loadSavedDatafile(sdkKey: parts.sdkKey)
        else { return nil }
        do throws(StartError) { return (cached, try parts.read(cached, of: handler)) } catch {
            parts.log(.warning, "start: the cached datafile cannot be used and is removed: \(error)")
            // Otherwise the response to the next download would only be "not modified".
            handler.removeSavedDatafile(sdkKey: parts.sdkKey)
            return nil
        }
    }

    /// Records why there is no datafile, or a new one is not used.
    private func report(_ error: StartError) -> OptimizelyError {
        if case .unavailable = error {
            parts.log(.error, "start: no datafile was given and none is cached; decisions are not ready")
            return .dataFileInvalid
        }
        parts.log(.error, "\(error)")
        parts.monitor.refused(error)
        if case .datafile(.unsupportedVersion(let version)) = error { return .dataFileVersionInvalid(version) }
        return .dataFileInvalid
    }

    private func configure(_ project: Project, _ origin: DatafileStatus.Origin) {
        let odp = UncheckedSendable(odpManager)
        // Under one lock, because concurrent starts could otherwise install different datafiles in the client and in
        // ODP.
        parts.configuring.withLock { _ in
            parts.runtime.install(project, keepsForcedVariations: false, origin: origin)
            parts.monitor.installed(project, origin)
            odp.value?.update(project: project)
        }
        if let datafileHandler { parts.shared.startUpdates(of: self, from: datafileHandler) }
    }

    /// Installs a newer datafile if it is usable and its content differs.
    func update(to datafile: Data) {
        let project: Project
        do throws(StartError) { project = try parts.read(datafile, of: datafileHandler) } catch {
            _ = report(error)
            return
        }
        let odp = UncheckedSendable(odpManager)
        let isChanged = parts.configuring.withLock { _ in
            let isChanged = parts.runtime.install(
                project, keepsForcedVariations: true, onlyIfChanged: true, origin: originOfDownload)
            parts.monitor.installed(project, originOfDownload)
            guard isChanged else { return false }
            odp.value?.update(project: project)
            return true
        }
        if isChanged { parts.notifications.sendDatafileChange(datafile) }
    }
}

// MARK: Starting with a downloaded datafile

extension OptimizelyClient {
    /// Downloads the current datafile and starts the client with it. If there is no usable response, uses the cached
    /// datafile.
    ///
    /// - Parameters:
    ///   - resourceTimeout: The download's time limit in seconds. Default: nil, the datafile handler's limit.
    ///   - completion: Called once, with the datafile or the error, on one of the datafile handler's threads. Default:
    ///     nil.
    public func start(resourceTimeout: Double? = nil, completion: ((OptimizelyResult<Data>) -> Void)? = nil) {
        start(resourceTimeout: resourceTimeout, orWith: nil, completion)
    }

    /// Downloads the current datafile and starts the client with it. If there is no usable response, uses the cached
    /// datafile, or else the bundled one.
    ///
    /// - Parameters:
    ///   - resourceTimeout: The download's time limit in seconds. Default: nil, the datafile handler's limit.
    ///   - bundledDatafile: The datafile bundled with the program.
    ///   - completion: Called once, with the datafile or the error, on one of the datafile handler's threads. Default:
    ///     nil.
    public func start(
        resourceTimeout: Double? = nil, bundledDatafile: Data,
        completion: ((OptimizelyResult<Data>) -> Void)? = nil
    ) {
        start(resourceTimeout: resourceTimeout, orWith: bundledDatafile, completion)
    }

    /// Downloads the current datafile and starts the client with it. If there is no usable response, uses the cached
    /// datafile.
    ///
    /// - Parameter resourceTimeout: The download's time limit in seconds. Default: nil, the datafile handler's limit.
    /// - Throws: An ``OptimizelyError`` if no usable datafile was found.
    public func start(resourceTimeout: Double? = nil) async throws {
        try await start(resourceTimeout: resourceTimeout, orWith: nil)
    }

    /// Downloads the current datafile and starts the client with it. If there is no usable response, uses the cached
    /// datafile, or else the bundled one.
    ///
    /// - Parameters:
    ///   - resourceTimeout: The download's time limit in seconds. Default: nil, the datafile handler's limit.
    ///   - bundledDatafile: The datafile bundled with the program.
    /// - Throws: An ``OptimizelyError`` if no usable datafile was found.
    public func start(resourceTimeout: Double? = nil, bundledDatafile: Data) async throws {
        try await start(resourceTimeout: resourceTimeout, orWith: bundledDatafile)
    }

    private func start(resourceTimeout: Double?, orWith bundled: Data?) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            start(resourceTimeout: resourceTimeout, orWith: bundled) { result in
                switch result {
                case .success: continuation.resume()
                case .failure(let error): continuation.resume(throwing: error)
                }
            }
        }
    }

    private func start(
        resourceTimeout: Double?, orWith bundled: Data?, _ completion: ((OptimizelyResult<Data>) -> Void)?
    ) {
        let callback = OnceCallback(completion ?? { _ in })
        guard let handler = datafileHandler else { return callback.give { .failure(.sdkNotReady) } }
        handler.downloadDatafile(
            sdkKey: parts.sdkKey, returnCacheIfNoChange: true, resourceTimeoutInterval: resourceTimeout
        ) { [weak self] result in
            callback.give { self?.start(with: result, or: bundled) ?? .failure(.sdkNotReady) }
        }
    }

    private func start(with result: OptimizelyResult<Data?>, or bundled: Data?) -> OptimizelyResult<Data> {
        let failure: OptimizelyError
        switch result {
        case .success(let data?):
            do throws(StartError) {
                configure(try parts.read(data, of: datafileHandler), originOfDownload)
                return .success(data)
            } catch {
                failure = report(error)
            }
        case .success(nil): failure = .datafileLoadingFailed(parts.sdkKey)
        case .failure(let error): failure = error
        }
        do throws(StartError) {
            let earlier = try earlier(or: bundled)
            parts.log(.warning, "start: no usable datafile was downloaded; using the \(earlier.origin) one")
            configure(earlier.project, earlier.origin)
            return .success(earlier.datafile)
        } catch {
            if bundled != nil { _ = report(error) }
            return .failure(failure)
        }
    }

    /// Where the result of a download comes from: after a failed or unchanged one, it is the cached copy.
    private var originOfDownload: DatafileStatus.Origin {
        switch lastDatafileOutcome {
        case .fresh, nil: .downloaded
        case .fromCache, .unchanged, .failed: .cached
        }
    }
}

// MARK: Polling

extension OptimizelyClient {
    /// Registers the interval with the handler; polling begins when the client is started.
    func poll(every interval: Int) {
        guard interval > 0, let handler = datafileHandler else { return }
        // This library's handler has its own configurable minimum.
        let minimum = handler is DefaultDatafileHandler ? 0 : DefaultDatafileHandler.standardMinimumInterval
        let schedule = PollingSchedule(
            interval: .seconds(interval), floor: .seconds(minimum), random: parts.environment.random, log: parts.log)
        handler.setPeriodicInterval(sdkKey: parts.sdkKey, interval: Int(schedule.interval.components.seconds))
    }
}
