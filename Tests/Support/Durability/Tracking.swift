import TurnoutClient
import TurnoutSQLite

extension ClientConfiguration {
    /// Sends to a server on this machine, with pauses short enough for many rounds.
    static func wire(_ storage: SQLiteStorage, to address: String) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.keep(in: storage)
        configuration.transport = .insecure
        configuration.events.endpoints.us = address + "/v1/events"
        configuration.events.eventsPerRequest = 200
        configuration.events.interval = .milliseconds(50)
        configuration.events.requestDeadline = .seconds(2)
        configuration.events.firstDelay = .milliseconds(10)
        configuration.events.longestDelay = .milliseconds(300)
        return configuration
    }
}

extension SQLiteOptions {
    /// Data is in the file when calls return, with room for all events of a run.
    static var durable: SQLiteOptions {
        var options = SQLiteOptions()
        options.durability = .beforeReturning
        options.maximumEvents = 1_000_000
        return options
    }
}

/// Tracks as fast as possible from several threads, each event for its own user, and records the user when the call
/// has returned. Then sends until it is killed.
struct Tracking {
    private let client: FlagClient
    private let acknowledged: Int32
    private let name: String
    private let (threads, count): (Int, Int)

    init(_ arguments: [String]) throws {
        let storage = try SQLiteStorage(directory: arguments[0], .durable)
        client = try FlagClient(datafile: contents(of: arguments[2]), .wire(storage, to: arguments[1]))
        acknowledged = appending(arguments[3])
        name = arguments[4]
        (threads, count) = (Int(arguments[5]) ?? 1, Int(arguments[6]) ?? 0)
    }

    func run() async throws {
        for thread in 0..<threads { BlockingCall.start { track(thread) } }
        // The script kills this process; without a script it ends by itself.
        try await Task.sleep(for: .seconds(60))
    }

    private func track(_ thread: Int) {
        for number in 0..<count / threads {
            let user = "\(name)-\(thread)-\(number)"
            do { try client.track("purchase", for: User(user)) } catch {
                say("durability: \(user): \(error)", to: 2)
                continue
            }
            say(user, to: acknowledged)
        }
    }
}

/// Starts a client in a directory, without a datafile or calls, and ends when no event is queued.
enum Sending {
    static func run(directory: String, address: String) async throws {
        let storage = try SQLiteStorage(directory: directory, .durable)
        let client = FlagClient(.wire(storage, to: address))
        say("\(storage.events.count)")
        while storage.events.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
        withExtendedLifetime(client) {}
    }
}
