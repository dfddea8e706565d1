public import Foundation
import TurnoutClient

// MARK: Starting with a datafile at hand

extension OptimizelyClient {
    /// Decides by a datafile from now on; see
    /// ``start(datafile:doUpdateConfigOnNewDatafile:doFetchDatafileBackground:)-(Data,_,_)``.
    public func start(datafile: String) throws { try start(datafile: Data(datafile.utf8)) }

    /// Decides by a datafile from now on; see
    /// ``start(datafile:doUpdateConfigOnNewDatafile:doFetchDatafileBackground:)-(Data,_,_)``.
    public func start(
        datafile: String, doUpdateConfigOnNewDatafile: Bool, doFetchDatafileBackground: Bool = true
    ) throws {
        try start(
            datafile: Data(datafile.utf8), doUpdateConfigOnNewDatafile: doUpdateConfigOnNewDatafile,
            doFetchDatafileBackground: doFetchDatafileBackground)
    }

    /// Decides by the cached datafile from now on, or by the given one if none of the same project is cached. Then asks
    /// for a newer one.
    ///
    /// - Parameters:
    ///   - datafile: The datafile that comes with the program.
    ///   - doUpdateConfigOnNewDatafile: Whether a newer one counts at once, and not with the next start. With a polling
    ///     interval it always does. Default: false.
    ///   - doFetchDatafileBackground: Whether to ask for a newer one. Default: true.
    /// - Throws: `dataFileInvalid` or `dataFileVersionInvalid`; the client goes on with the datafile it has.
    public func start(
        datafile: Data, doUpdateConfigOnNewDatafile: Bool = false, doFetchDatafileBackground: Bool = true
    ) throws {
        configure(try project(cachedOr: datafile))
        guard doFetchDatafileBackground, let handler = datafileHandler else { return }
        let sdkKey = parts.sdkKey
        handler.downloadDatafile(sdkKey: sdkKey, returnCacheIfNoChange: false, resourceTimeoutInterval: nil) {
            [weak self] result in
            guard let self, case .success(let data?) = result else { return }
            if doUpdateConfigOnNewDatafile || self.datafileHandler?.hasPeriodicInterval(sdkKey: sdkKey) == true {
                self.update(to: data)
            }
        }
    }

    /// The project of the cached datafile if that can be used and does not belong to another project than the given
    /// one.
    private func project(cachedOr datafile: Data) throws(OptimizelyError) -> Project {
        let cached = parts.sdkKey.isEmpty ? nil : datafileHandler?.loadSavedDatafile(sdkKey: parts.sdkKey)
        guard let cached else { return try project(datafile) }
        guard let known = try? project(cached) else {
            // Otherwise the next download would be told that there is nothing newer.
            datafileHandler?.removeSavedDatafile(sdkKey: parts.sdkKey)
            return try project(datafile)
        }
        guard cached != datafile, let given = try? project(datafile) else { return known }
        guard given.projectID == known.projectID else {
            parts.log(.warning, "the cached datafile is of project \(known.projectID), not \(given.projectID)")
            return given
        }
        let prefersHigher = (datafileHandler as? DefaultDatafileHandler)?.prefersHigherRevision ?? false
        return prefersHigher && given.isNewer(than: known) ? given : known
    }

    private func project(_ datafile: Data) throws(OptimizelyError) -> Project {
        do throws(StartError) { return try parts.core.read([UInt8](datafile)) } catch {
            parts.log(.error, "\(error)")
            if case .datafile(.unsupportedVersion(let version)) = error { throw .dataFileVersionInvalid(version) }
            throw .dataFileInvalid
        }
    }

    private func configure(_ project: Project) {
        let odp = Handed(odpManager)
        // In one turn, or two starts at once would leave the two with different datafiles.
        parts.configuring.withLock { _ in
            parts.core.install(project, keepsForcedVariations: false)
            odp.value?.update(project: project)
        }
        if let datafileHandler { parts.shared.startUpdates(of: self, from: datafileHandler) }
    }

    /// Decides by a newer datafile, if it can be used and has another revision.
    func update(to datafile: Data) {
        guard let project = try? project(datafile) else { return }
        let odp = Handed(odpManager)
        let isChanged = parts.configuring.withLock { _ in
            guard parts.core.install(project, keepsForcedVariations: true, onlyIfChanged: true) else { return false }
            odp.value?.update(project: project)
            return true
        }
        if isChanged { parts.announcer.announceDatafile(datafile) }
    }
}

// MARK: Starting with the newest datafile

extension OptimizelyClient {
    /// Fetches the newest datafile, and decides by it from now on. Without a usable answer the cached one is used.
    ///
    /// - Parameters:
    ///   - resourceTimeout: How long fetching may take, in seconds. Default: as long as the handler lets it.
    ///   - completion: Called once, with the datafile or the error, on a thread of the handler's. Default: nobody.
    public func start(resourceTimeout: Double? = nil, completion: ((OptimizelyResult<Data>) -> Void)? = nil) {
        start(resourceTimeout: resourceTimeout, orWith: nil, completion)
    }

    /// Fetches the newest datafile, and decides by it from now on. Without a usable answer the cached one is used,
    /// and without that the one that comes with the program.
    ///
    /// - Parameters:
    ///   - resourceTimeout: How long fetching may take, in seconds. Default: as long as the handler lets it.
    ///   - bundledDatafile: The datafile that comes with the program.
    ///   - completion: Called once, with the datafile or the error, on a thread of the handler's. Default: nobody.
    public func start(
        resourceTimeout: Double? = nil, bundledDatafile: Data,
        completion: ((OptimizelyResult<Data>) -> Void)? = nil
    ) {
        start(resourceTimeout: resourceTimeout, orWith: bundledDatafile, completion)
    }

    /// Fetches the newest datafile, and decides by it from now on. Without a usable answer the cached one is used.
    ///
    /// - Parameter resourceTimeout: How long fetching may take, in seconds. Default: as long as the handler lets it.
    /// - Throws: An ``OptimizelyError``.
    public func start(resourceTimeout: Double? = nil) async throws {
        try await start(resourceTimeout: resourceTimeout, orWith: nil)
    }

    /// Fetches the newest datafile, and decides by it from now on. Without a usable answer the cached one is used,
    /// and without that the one that comes with the program.
    ///
    /// - Parameters:
    ///   - resourceTimeout: How long fetching may take, in seconds. Default: as long as the handler lets it.
    ///   - bundledDatafile: The datafile that comes with the program.
    /// - Throws: An ``OptimizelyError``.
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
        let answer = SingleAnswer(completion ?? { _ in })
        guard let handler = datafileHandler else { return answer.give { .failure(.sdkNotReady) } }
        handler.downloadDatafile(
            sdkKey: parts.sdkKey, returnCacheIfNoChange: true, resourceTimeoutInterval: resourceTimeout
        ) { [weak self] result in
            answer.give { self?.start(with: result, or: bundled) ?? .failure(.sdkNotReady) }
        }
    }

    private func start(with result: OptimizelyResult<Data?>, or bundled: Data?) -> OptimizelyResult<Data> {
        let failure: OptimizelyError
        switch result {
        case .success(let data?):
            do throws(OptimizelyError) {
                configure(try project(data))
                return .success(data)
            } catch {
                failure = error
            }
            if let kept = kept(besides: data) {
                parts.log(.warning, "the answer is no datafile that can be used; the cached one is")
                configure(kept.project)
                return .success(kept.datafile)
            }
        case .success(nil): failure = .datafileLoadingFailed(parts.sdkKey)
        case .failure(let error): failure = error
        }
        guard let bundled, let project = try? project(bundled) else { return .failure(failure) }
        configure(project)
        return .success(bundled)
    }

    /// The cached datafile, or nil: there is none that can be used, beside one that cannot.
    private func kept(besides unusable: Data) -> (datafile: Data, project: Project)? {
        guard let handler = datafileHandler, let datafile = handler.loadSavedDatafile(sdkKey: parts.sdkKey) else {
            return nil
        }
        if datafile != unusable, let project = try? project(datafile) { return (datafile, project) }
        // A copy that cannot be used would be kept alive by each answer that nothing changed.
        handler.removeSavedDatafile(sdkKey: parts.sdkKey)
        return nil
    }
}

// MARK: Polling and the end

extension OptimizelyClient {
    /// Registers the interval with the handler; polling begins when the client is started.
    func poll(every interval: Int) {
        guard interval > 0, let handler = datafileHandler else { return }
        guard !(handler is DefaultDatafileHandler), interval < Self.minimumPollingInterval else {
            // This library's handler has a floor of its own, which can be set.
            return handler.setPeriodicInterval(sdkKey: parts.sdkKey, interval: interval)
        }
        parts.log(.warning, "polling every \(interval) s is too often, every \(Self.minimumPollingInterval) s it is")
        handler.setPeriodicInterval(sdkKey: parts.sdkKey, interval: Self.minimumPollingInterval)
    }

    /// Two minutes, as the vendor's pages promise.
    private static let minimumPollingInterval = 120

    /// Ends what runs by itself: no more polling for this SDK key, listeners have been called, events have been
    /// handed to the network and assignments to their store as far as possible. Takes at most ten seconds for all of
    /// it, five of them for listeners, unless an event dispatcher of the caller's own takes longer; the client still
    /// decides. Calling it again, or from a listener, does no harm.
    public func close() { close(within: .seconds(10)) }

    /// Does what ``close()`` does, within another limit.
    package func close(within limit: Duration) {
        let elapsed = ContinuousClock().stopwatch()
        datafileHandler?.stopUpdates(sdkKey: parts.sdkKey)
        parts.core.stopPolling()
        // A listener that is stuck leaves the others half of it: without any time they would not begin.
        parts.announcer.queue.drain(within: limit / 2)
        // At the same time, so that one that is slow leaves the others what is left.
        let rest = max(.zero, limit - elapsed())
        let others = DispatchGroup()
        odpManager?.close(within: rest, others)
        parts.shared.storeAssignments(within: rest, others)
        DefaultEventDispatcher.$closingLimit.withValue(rest) { parts.shared.eventDispatcher.value.close() }
        _ = others.wait(timeout: .now() + .nanoseconds(max(.zero, limit - elapsed()).wholeNanoseconds))
    }
}
