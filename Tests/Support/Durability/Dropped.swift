#if SQLite
    import Foundation
    import Optimizely
    import TurnoutClient

    /// A program as users of the drop-in interface have it: nothing is set but the address of events.
    enum Dropped {
        static func run(_ arguments: [String]) async throws {
            // The server has no certificate. Everything else is what every program gets.
            World.standard.withLock { $0.transport = .insecure }
            EventForDispatch.eventEndpoint = arguments[0] + "/v1/events"
            let client = OptimizelyClient(sdkKey: "durability", defaultLogLevel: .error)
            if arguments.count > 1 { try track(client, arguments) }
            try await Task.sleep(for: .seconds(60))
            withExtendedLifetime(client) {}
        }

        private static func track(_ client: OptimizelyClient, _ arguments: [String]) throws {
            try client.start(datafile: Data(contents(of: arguments[1])), doFetchDatafileBackground: false)
            let acknowledged = appending(arguments[2])
            for number in 0..<(Int(arguments[4]) ?? 0) {
                let user = "\(arguments[3])-\(number)"
                try client.track(eventKey: "purchase", userId: user)
                say("\(user) \(milliseconds)", to: acknowledged)
                // What is killed shall be older than what is written together.
                pause(milliseconds: 1)
            }
        }
    }
#endif
