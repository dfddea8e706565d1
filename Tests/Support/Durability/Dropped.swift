import Foundation
import Optimizely
import TurnoutClient

/// A program with the drop-in interface: only the URL for events is set.
enum Dropped {
    static func run(_ arguments: [String]) async throws {
        // The server has no certificate. Everything else is the default.
        HostEnvironment.standard.withLock { $0.transport = .insecure }
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
            // Spreads the events over several commits, so that some precede the kill.
            pause(milliseconds: 1)
        }
    }
}
