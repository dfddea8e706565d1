package import Foundation
package import TurnoutClient

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

#if SQLite
    import TurnoutSQLite
#endif

/// The environment of a client: network, storage, clocks and randomness.
package struct HostEnvironment: Sendable {
    /// Sends requests; nil: there is no network.
    package var transport: (any Transport)?
    /// Creates a transport with non-standard options; if nil, ``transport`` is used regardless of options.
    package var makeTransport: (@Sendable (TransportOptions) -> any Transport)?
    package var storage: any ServiceStorage
    /// The vendor's data on this device, to be migrated; nil disables migration.
    package var vendor: VendorData?
    /// The path of the file in which the vendor's Objective-C library stored events, to be migrated; nil disables
    /// migration.
    package var earlierEvents: String?
    /// The datafile cache of the Objective-C interface.
    package var datafiles: any DatafileCache = .memory
    /// The prediction service for contextual bandits. Default: nil, the service in the client's settings, over the
    /// transport; without a transport, predictions fail.
    package var predictions: (any PredictionSource)?
    package var clock: any Clock<Duration> = .continuous
    /// Tells the time of events.
    package var wallClock: any WallClock = .system
    /// Generates the ids of events.
    package var random: any RandomSource = .system
    /// The center to which the system posts foreground and background notifications.
    package var notifications: NotificationCenter = .default

    /// Creates an environment with the system's clocks, randomness and notifications, without a network.
    ///
    /// - Parameter storage: The storage. Default: in memory.
    package init(storage: any ServiceStorage = MemoryStorage()) { self.storage = storage }

    /// The environment of newly created clients. Not a parameter, because the initializers of ``OptimizelyClient`` are
    /// the vendor's, and another designated initializer would keep subclasses from inheriting them.
    package static var current: HostEnvironment { override ?? standard.withLock { $0 } }
}

extension HostEnvironment {
    /// Returns a copy whose network accepts plain `http` for every host.
    package func allowingInsecureHTTP(_ isAllowed: Bool = true) -> HostEnvironment {
        guard isAllowed, let makeTransport else { return self }
        var environment = self
        environment.transport = makeTransport(TransportOptions(allowsInsecureHTTP: true))
        return environment
    }

    /// The prediction service for a client.
    func predictionSource(for config: CmabConfig) -> any PredictionSource {
        if let predictions { return predictions }
        guard let transport else { return UnreachablePredictions() }
        var options = HTTPPredictionOptions()
        options.address = config.predictionEndpoint
        options.clock = clock
        return .http(transport: transport, options: options)
    }
}

/// A prediction service without a network. Requests fail, as in the vendor's client.
struct UnreachablePredictions: PredictionSource {
    func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        throw TransportError(.unreachable, "no network transport")
    }
}

extension HostEnvironment {
    /// The default environment, because the vendor's initializers have no parameter for one. Replaced only by tests, so
    /// that nothing they do leaves the process.
    package static let standard = Locked(HostEnvironment.live)

    /// The environment of clients that the current task creates; nil means the standard one.
    @TaskLocal package static var override: HostEnvironment?
}

extension HostEnvironment {
    /// The machine's network and files. Only this property selects them for the module.
    static var live: HostEnvironment {
        #if SQLite
            var environment = HostEnvironment(storage: LazyStorage { SQLiteStorage.ofThisProgram() })
        #else
            var environment = HostEnvironment()
        #endif
        #if Curl && os(Linux)
            environment.transport = .curl
            environment.makeTransport = { .curl($0) }
        #else
            environment.transport = .urlSession
            environment.makeTransport = { .urlSession($0) }
        #endif
        environment.vendor = VendorData(settings: .standard, directory: StoreDirectory.ofVendor)
        // Next to the library's datafiles.
        let earlier = StoreDirectory.ofDatafiles
        environment.earlierEvents =
            earlier.deletingLastPathComponent().appending(path: "database/optly-database.sqlite").path
        environment.datafiles = FileDatafileCache(
            directory: StoreDirectory.ofThisProgram.appending(path: "datafile"), earlier: earlier)
        return environment
    }
}
