extension Client {
    /// Gets the newest datafile, and decides by it from now on. Polls for newer ones if the configuration says so.
    ///
    /// If the source has no usable datafile, the one that it kept from an earlier run is used, and if there is none
    /// either, the bundled one.
    ///
    /// - Throws: ``StartError``, if none of them can be used. Starting again later is allowed.
    public func start() async throws(StartError) {
        // Also after a failure: a server that starts during an outage gets well by itself.
        let count = closeCount
        defer { startPolling(unlessClosedSince: count) }
        guard let failure = await startWithNewest() else { return }
        if case .unavailable(nil) = failure, project != nil { return }
        configuration.log(.info, "no newer datafile, looking for an earlier one: \(failure)")
        try startWithEarlier(failure)
    }

    /// Why the newest datafile cannot be used, or nil: it is used. ``StartError/unavailable(_:)`` without an error:
    /// there is none, or none that is new.
    private func startWithNewest() async -> StartError? {
        guard let source = configuration.datafiles else { return .unavailable(nil) }
        do {
            guard let datafile = try await source.newest() else { return .unavailable(nil) }
            install(try read(datafile), keepsForcedVariations: false)
            return nil
        } catch let error as StartError {
            return error
        } catch {
            return .unavailable(error)
        }
    }

    private func startWithEarlier(_ failure: StartError) throws(StartError) {
        for datafile in [configuration.datafiles?.kept(), configuration.bundledDatafile] {
            guard let datafile, let project = try? read(datafile) else { continue }
            install(project, keepsForcedVariations: false)
            return
        }
        throw failure
    }

    /// Asks for a newer datafile, and decides by it if there is one. Listeners are told.
    ///
    /// - Returns: Whether there was a newer one.
    /// - Throws: ``StartError``, if it could not be found out or the newer one cannot be used.
    @discardableResult
    public func refresh() async throws(StartError) -> Bool {
        guard let source = configuration.datafiles else { throw .unavailable(nil) }
        let newest: [UInt8]?
        do { newest = try await source.newest() } catch { throw .unavailable(error) }
        guard let newest else { return false }
        return try update(to: newest)
    }

    private func startPolling(unlessClosedSince count: Int) {
        guard let interval = configuration.pollingInterval, interval > .zero, configuration.datafiles != nil else {
            return
        }
        let (clock, log) = (configuration.clock, configuration.log)
        poll(
            Task { [weak self] in
                while (try? await clock.pause(for: interval)) != nil {
                    // Between two requests nobody holds on to the client.
                    guard let self else { return }
                    do throws(StartError) { try await self.refresh() } catch {
                        log(.warning, "polling: \(error)")
                    }
                }
            }, unlessClosedSince: count)
    }
}

/// Why a client does not decide by a datafile.
public enum StartError: Error, Sendable, CustomStringConvertible {
    /// The datafile cannot be used.
    case datafile(DatafileError)
    /// The datafile is of another project than the configuration asks for; its id.
    case otherProject(String)
    /// There is no datafile; with the reason, if there is one.
    case unavailable((any Error)?)

    /// The error in words.
    public var description: String {
        switch self {
        case .datafile(let error): "the datafile cannot be used: \(error)"
        case .otherProject(let id): "the datafile is of project \(id)"
        case .unavailable(let error):
            // Foreign errors may name an address with a key in it.
            "no datafile to be had" + (error.map { ": \($0 is TransportError ? "\($0)" : "\(type(of: $0))")" } ?? "")
        }
    }
}
