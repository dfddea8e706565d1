import Optimizely
import OptimizelySDKiOS
import TurnoutClient
import TurnoutSQLite

/// A program that makes five decisions, each with an event and an assignment, and ends at once. The files of the
/// drop-in interfaces are where they are by default. There is no network.
enum Ending {
    /// A test that everyone takes part in.
    private static let datafile = """
        {"version": "4", "accountId": "1", "projectId": "2", "revision": "1", "anonymizeIP": true, "audiences": [],
         "attributes": [], "events": [], "groups": [], "rollouts": [],
         "featureFlags": [{"id": "3", "key": "flag", "rolloutId": "", "experimentIds": ["4"], "variables": []}],
         "experiments": [{"id": "4", "key": "test", "layerId": "5", "status": "Running", "audienceIds": [],
          "forcedVariations": {}, "trafficAllocation": [{"entityId": "6", "endOfRange": 10000}],
          "variations": [{"id": "6", "key": "on", "featureEnabled": true}]}]}
        """

    static func run(_ arguments: [String]) throws {
        HostEnvironment.standard.withLock { $0.transport = nil }
        let users = (0..<5).map { "\(getpid())-\($0)" }
        let datafile = Array(Self.datafile.utf8)
        switch arguments[0] {
        case "client":
            let client = try client(arguments[1], datafile)
            for user in users { _ = client.decide("flag", for: User(user)) }
            finish(arguments[2], client)
        case "optimizely":
            let client = OptimizelyClient(sdkKey: "ending", defaultLogLevel: .error)
            try client.start(datafile: Data(datafile), doFetchDatafileBackground: false)
            for user in users { _ = client.createUserContext(userId: user).decide(key: "flag") }
            finish(arguments[2], client)
        case "objective-c":
            let manager = OPTLYManager(builder: OPTLYManagerBuilder { $0?.sdkKey = "ending" })
            let client = manager?.initialize(withDatafile: Data(datafile))
            for user in users { client?.activate("test", userId: user) }
            finish(arguments[2], manager)
        default: try count(arguments[1])
        }
    }

    private static func client(_ directory: String, _ datafile: [UInt8]) throws -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.keep(in: try SQLiteStorage(directory: directory))
        return try FlagClient(datafile: datafile, configuration)
    }

    /// Prints how many events and assignments are in the file.
    private static func count(_ directory: String) throws {
        let storage = try SQLiteStorage(directory: directory)
        let names = ["events", "OPTEventQueue", "objective-c impressions"]
        let events = names.reduce(0) { $0 + storage.events(named: $1).count }
        say("\(events) \(try storage.profiles.count)")
    }

    /// Ends the process, or returns to `main`, while the client still exists, as a global one does.
    private static func finish(_ end: String, _ client: Any?) {
        _ = client.map { Unmanaged.passRetained($0 as AnyObject) }
        if end == "exit" { exit(0) }
    }
}
