extension TestNetwork {
    /// A configuration without a datafile, whose events are queued until a flush, and with short retry delays.
    func configuration(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.log = .silent
        configuration.events.interval = .seconds(3_600)
        configuration.events.eventsPerRequest = 100
        configuration.events.firstDelay = .milliseconds(1)
        configuration.events.longestDelay = .milliseconds(20)
        change(&configuration)
        return configuration
    }

    /// A client with a datafile.
    func client(
        _ datafile: Datafile = Datafile(), _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> FlagClient { try FlagClient(datafile: datafile.bytes, configuration(change)) }

    /// A source of datafiles.
    func source(
        _ key: String, cache: MemoryDatafileCache = .memory, _ change: (inout HTTPDatafileOptions) -> Void = { _ in }
    ) -> HTTPDatafileSource {
        var options = HTTPDatafileOptions()
        options.log = .silent
        change(&options)
        return .http(sdkKey: key, transport: transport, cache: cache, options: options)
    }

    /// Runs `body` in an environment with this network and disk.
    func make<Made>(_ body: () throws -> Made) rethrows -> Made {
        try HostEnvironment.$override.withValue(environment, operation: body)
    }

    /// A client of the facade.
    func optimizely(
        _ sdkKey: String = unique("key"), logger: any OPTLogger = QuietLogger(),
        dispatcher: (any OPTEventDispatcher)? = nil, handler: DefaultDatafileHandler? = nil,
        profiles: (any OPTUserProfileService)? = nil, platform: OdpManager? = nil, interval: Int? = 0,
        settings: OptimizelySdkSettings? = nil, cmab: CmabConfig? = nil
    ) -> OptimizelyClient {
        make {
            OptimizelyClient(
                sdkKey: sdkKey, logger: logger, eventDispatcher: dispatcher,
                datafileHandler: handler ?? FileHandler(directory), userProfileService: profiles,
                odpManager: platform, periodicDownloadInterval: interval, settings: settings, cmabConfig: cmab)
        }
    }

    /// A started client of the facade, without background downloads.
    func started(
        _ datafile: Datafile = Datafile(), logger: any OPTLogger = QuietLogger(),
        dispatcher: (any OPTEventDispatcher)? = nil, profiles: (any OPTUserProfileService)? = nil,
        platform: OdpManager? = nil, settings: OptimizelySdkSettings? = nil, cmab: CmabConfig? = nil
    ) throws -> OptimizelyClient {
        let client = optimizely(
            logger: logger, dispatcher: dispatcher, profiles: profiles, platform: platform, settings: settings,
            cmab: cmab)
        try client.start(datafile: datafile.data, doFetchDatafileBackground: false)
        return client
    }
}

extension OptimizelyClient {
    /// Closes the client without blocking the calling thread.
    func closed() async throws { try await blocking { self.close() } }

    /// The revision of the datafile, or nil without one.
    var revision: String? { try? getOptimizelyConfig().revision }

    /// Starts with a callback, and waits for it. Returns the revision, or nil after an error.
    func startCalledBack(timeout: Double? = nil, bundled: Data? = nil) async -> String? {
        await withCheckedContinuation { continuation in
            let completion = { (result: OptimizelyResult<Data>) in
                switch result {
                case .success: continuation.resume(returning: self.revision)
                case .failure: continuation.resume(returning: nil)
                }
            }
            if let bundled {
                start(resourceTimeout: timeout, bundledDatafile: bundled, completion: completion)
            } else {
                start(resourceTimeout: timeout, completion: completion)
            }
        }
    }
}

/// The standard handler, with copies in a test's directory.
class FileHandler: DefaultDatafileHandler {
    private let directory: TemporaryDirectory

    init(_ directory: TemporaryDirectory) {
        self.directory = directory
        super.init()
    }

    convenience required init() { self.init(TemporaryDirectory()) }

    override func createDataStore(sdkKey: String) -> any OPTDataStore {
        // An asynchronous write might happen after the directory was removed.
        DataStoreFile<Data>(storeName: sdkKey, async: false, directory: directory.url)
    }
}

/// Records messages of all levels.
final class QuietLogger: OPTLogger {
    static var logLevel: OptimizelyLogLevel {
        get { .debug }
        // swift-format-ignore
        set {}
    }

    private let collected = Collected<(level: OptimizelyLogLevel, message: String)>()
    var entries: [(level: OptimizelyLogLevel, message: String)] { collected.all }

    init() {}
    func log(level: OptimizelyLogLevel, message: String) { collected.add((level, message)) }
}
