import TurnoutClient
import TurnoutCurl
import TurnoutRedis
import TurnoutSQLite

extension ClientConfiguration {
    /// The configuration of the service.
    init(_ options: Options) {
        self.init()
        log = .standardError(level: .info)
        // For `/metrics`.
        countsDecisions = true
        // Users keep their variation when traffic changes.
        profiles = .memory
        let storage = options.directory.map { SQLiteStorage.open(directory: $0) }
        if let storage { keep(in: storage) }
        if let address = options.redis { profiles = Self.redis(address) }
        // A file may be an example, whose events must not reach the vendor.
        if options.sdkKey != nil || options.events != nil { transport = .curl }
        if let address = options.events { (events.endpoints.us, events.endpoints.eu) = (address, address) }
        if let path = options.datafile {
            datafiles = WatchedFile(path)
            // Reading a file is cheap, so short intervals are fine.
            (pollingInterval, minimumPollingInterval) = (.seconds(1), .seconds(1))
        } else if let key = options.sdkKey {
            var server = HTTPDatafileOptions()
            server.address = options.datafiles
            let cache: any DatafileCache = if let storage { storage.datafiles } else { MemoryDatafileCache() }
            datafiles = HTTPDatafileSource(sdkKey: key, transport: .curl, cache: cache, options: server)
            pollingInterval = .seconds(30)
        }
        // An alarm, not an outage: the client keeps its datafile.
        maximumDatafileAge = .seconds(600)
    }

    /// A decision waits at most 20 ms for Redis. Profiles are used for 5 seconds, and assignments are stored later.
    private static func redis(_ address: String) -> any ProfileStore {
        do {
            let store = try RedisProfileStore(RedisOptions(url: address))
            return store.applying(ProfilePolicy(deadline: .milliseconds(20)))
        } catch {
            System.stop("--redis \(address): \(error)")
        }
    }
}
