import CAllocationCounter
import TurnoutClient

extension Subject {
    /// A client that sends no events, to measure decisions only.
    func makeClient(profiles: (any ProfileStore)? = nil) throws -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.defaultOptions = .disableDecisionEvent
        configuration.profiles = profiles
        return try FlagClient(datafile: bytes, configuration)
    }

    /// Decides with a client that is shared by threads.
    func deciding(with client: FlagClient) -> Worker {
        let contexts = users.map { UserContext(client: client, user: $0) }
        return { times in
            var checksum = 0
            rotate(times, among: contexts) { key, context in checksum &+= read(context.decide(key)) }
            keep_result(Int64(checksum))
        }
    }

    func clientDecide() -> Workers? { (try? makeClient()).map { client in { $0.deciding(with: client) } } }

    /// The store knows an assignment of each user for each experiment.
    func clientDecide(with profiles: any ProfileStore) -> Workers? {
        guard let client = try? makeClient(profiles: profiles) else { return nil }
        for user in users { _ = client.decideAll(for: user) }
        return { $0.deciding(with: client) }
    }

    func clientDecideForNewUsers() -> Workers? {
        guard let client = try? makeClient() else { return nil }
        return { subject in
            let (profiles, flagKeys) = (subject.profiles, subject.flagKeys)
            return { times in
                var checksum = 0
                var flag = 0
                for index in 0..<times {
                    let context = UserContext(client: client, user: profiles[index % profiles.count].user)
                    checksum &+= read(context.decide(flagKeys[flag]))
                    flag = flag + 1 == flagKeys.count ? 0 : flag + 1
                }
                keep_result(Int64(checksum))
            }
        }
    }

    /// Makes decisions that cause events, which go to a store without a limit that keeps none.
    func clientDecideWithEvents() -> Workers? {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.eventStore = BottomlessStore()
        guard !sendingDecisions.isEmpty, let client = try? FlagClient(datafile: bytes, configuration) else {
            return nil
        }
        return { $0.decidingWithEvents(client) }
    }

    /// The flags and users whose decisions cause an event.
    var sendingDecisions: [(key: String, user: User)] {
        users.flatMap { user in
            flagKeys.filter { project.decide($0, for: user).impression != nil }.map { (key: $0, user: user) }
        }
    }

    /// Makes only decisions that cause an event.
    func decidingWithEvents(_ client: FlagClient) -> Worker {
        let sending = sendingDecisions
        return { times in
            var checksum = 0
            for index in 0..<times {
                let place = index % sending.count
                checksum &+= read(client.decide(sending[place].key, for: sending[place].user))
            }
            keep_result(Int64(checksum))
        }
    }
}

/// A store that drops events, to measure the work before it.
private struct BottomlessStore: EventStore {
    let count = 0
    func append(_ event: OutgoingEvent) {}
    func oldest(_ count: Int) -> [StoredEvent] { [] }
    func remove(_ ids: [Int64]) {}
}
