#if SQLite
    import Foundation
    import Optimizely
    import OptimizelySDKiOS
    import TurnoutClient
    import TurnoutSQLite

    /// A program that makes five decisions, each with an event and an assignment, and ends at once. The files of the
    /// drop-in interfaces are where they are by default. There is no network.
    enum Ending {
        static func run(_ arguments: [String]) throws {
            HostEnvironment.standard.withLock { $0.transport = nil }
            let users = (0..<5).map { "\(getpid())-\($0)" }
            // With these, an experiment assigns a variation.
            let attributes: [String: Any] = ["country": "US", "orders": 12]
            let datafile = contents(of: arguments[1])
            switch arguments[0] {
            case "client":
                let client = try client(arguments[2], datafile)
                for id in users {
                    let user = User(id, attributes: ["country": "US", "orders": 12])
                    _ = client.decide("checkout_redesign", for: user)
                }
                finish(arguments[3], client)
            case "optimizely":
                let client = OptimizelyClient(sdkKey: "ending", defaultLogLevel: .error)
                try client.start(datafile: Data(datafile), doFetchDatafileBackground: false)
                for user in users {
                    _ = client.createUserContext(userId: user, attributes: attributes).decide(key: "checkout_redesign")
                }
                finish(arguments[3], client)
            case "objective-c":
                let manager = OPTLYManager(builder: OPTLYManagerBuilder { $0?.sdkKey = "ending" })
                let client = manager?.initialize(withDatafile: Data(datafile))
                for user in users { client?.activate("checkout_test", userId: user, attributes: attributes) }
                finish(arguments[3], manager)
            default: try count(arguments[2])
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
#endif
