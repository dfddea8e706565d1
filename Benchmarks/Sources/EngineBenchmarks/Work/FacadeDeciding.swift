import CAllocationCounter
import Foundation
import Optimizely
import TurnoutEngine

extension Subject {
    /// A client of the drop-in interface that sends no events.
    ///
    /// - Parameters:
    ///   - profiles: Stores assignments. Default: nothing is stored.
    ///   - options: The options of all decisions. Default: profiles are ignored as well.
    /// - Returns: The client.
    /// - Throws: The client's error, if it cannot use the datafile.
    func makeOptimizelyClient(
        profiles: any OPTUserProfileService = NoOpUserProfileService(),
        options: [OptimizelyDecideOption] = [.disableDecisionEvent, .ignoreUserProfileService]
    ) throws -> OptimizelyClient {
        let dispatcher = DefaultEventDispatcher(
            batchSize: .max, backingStore: .memory, timerInterval: 86_400, maxQueueSize: .max)
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, eventDispatcher: dispatcher, userProfileService: profiles,
            defaultLogLevel: .off, defaultDecideOptions: options)
        try client.start(datafile: Data(bytes), doFetchDatafileBackground: false)
        return client
    }

    /// A client that knows an assignment of each user for each experiment.
    func makeOptimizelyClient(withProfiles profiles: any OPTUserProfileService) throws -> OptimizelyClient {
        let client = try makeOptimizelyClient(profiles: profiles, options: [.disableDecisionEvent])
        for person in self.profiles {
            _ = client.createUserContext(userId: person.id, attributes: person.anyAttributes).decideAll()
        }
        return client
    }

    /// Decides with a client that is shared by threads.
    func deciding(with client: OptimizelyClient) -> Worker {
        let contexts = profiles.map { client.createUserContext(userId: $0.id, attributes: $0.anyAttributes) }
        return { times in
            var checksum = 0
            rotate(times, among: contexts) { key, context in checksum &+= read(context.decide(key: key)) }
            // Contexts do not retain their client.
            withExtendedLifetime(client) {}
            keep_result(Int64(checksum))
        }
    }

    func facadeDecide() -> Workers? { (try? makeOptimizelyClient()).map { client in { $0.deciding(with: client) } } }

    func facadeDecideForNewUsers() -> Workers? {
        guard let client = try? makeOptimizelyClient() else { return nil }
        return { subject in
            let flagKeys = subject.flagKeys
            return { times in
                let people = subject.profiles.map { (id: $0.id, attributes: $0.anyAttributes) }
                var checksum = 0
                var flag = 0
                for index in 0..<times {
                    let person = people[index % people.count]
                    let context = client.createUserContext(userId: person.id, attributes: person.attributes)
                    checksum &+= read(context.decide(key: flagKeys[flag]))
                    flag = flag + 1 == flagKeys.count ? 0 : flag + 1
                }
                keep_result(Int64(checksum))
            }
        }
    }

    func facadeDecideWithOwnProfiles() -> Workers? {
        (try? makeOptimizelyClient(withProfiles: StripedProfiles())).map { client in { $0.deciding(with: client) } }
    }

    func facadeDecideWithDefaultProfiles() -> Workers? {
        let service = DefaultUserProfileService()
        return (try? makeOptimizelyClient(withProfiles: service)).map { client in { $0.deciding(with: client) } }
    }

    func facadeContext() -> Workers? {
        guard let client = try? makeOptimizelyClient() else { return nil }
        return { subject in
            { times in
                let people = subject.profiles.map { (id: $0.id, attributes: $0.anyAttributes) }
                var checksum = 0
                for index in 0..<times {
                    let person = people[index % people.count]
                    let context = client.createUserContext(userId: person.id, attributes: person.attributes)
                    checksum &+= context.userId.utf8.count
                }
                keep_result(Int64(checksum))
            }
        }
    }

    /// Makes only decisions that cause an event. The dispatcher keeps 50 MB of events, so every ten thousand get a
    /// client of their own.
    func facadeDecideWithEvents() -> ((Int) -> Void)? {
        guard !sendingDecisions.isEmpty else { return nil }
        let sending = sendingPlaces
        // Made before the time is taken: a client takes as long as thousands of decisions.
        var (worker, left) = (facadeEventWorkers(sending)?(self), 10_000)
        return { times in
            var times = times
            while times > 0 {
                if left == 0 { (worker, left) = (facadeEventWorkers(sending)?(self), 10_000) }
                let count = min(times, left)
                worker?(count)
                (times, left) = (times - count, left - count)
            }
        }
    }

    /// The flags whose decision causes an event, with the users' places.
    private var sendingPlaces: [(key: String, user: Int)] {
        profiles.indices.flatMap { place in
            flagKeys.filter { project.decide($0, for: profiles[place].user).impression != nil }
                .map { (key: $0, user: place) }
        }
    }

    /// The same on threads that share a client, for fewer than 70,000 events.
    func facadeEventWorkers(_ sending: [(key: String, user: Int)]? = nil) -> Workers? {
        guard !sendingDecisions.isEmpty,
            let client = try? makeOptimizelyClient(options: [.ignoreUserProfileService])
        else { return nil }
        return { subject in
            let sending = sending ?? subject.sendingPlaces
            let contexts = subject.profiles.map {
                client.createUserContext(userId: $0.id, attributes: $0.anyAttributes)
            }
            return { times in
                var checksum = 0
                for index in 0..<times {
                    let (key, user) = sending[index % sending.count]
                    checksum &+= read(contexts[user].decide(key: key))
                }
                withExtendedLifetime(client) {}
                keep_result(Int64(checksum))
            }
        }
    }

    func facadeDecideAll() -> Workers? {
        guard let client = try? makeOptimizelyClient() else { return nil }
        return { subject in
            let contexts = subject.profiles.map {
                client.createUserContext(userId: $0.id, attributes: $0.anyAttributes)
            }
            return { times in
                var checksum = 0
                for index in 0..<times { checksum &+= contexts[index % contexts.count].decideAll().count }
                withExtendedLifetime(client) {}
                keep_result(Int64(checksum))
            }
        }
    }
}

/// A profile service as an application writes it for many threads: dictionaries in memory, behind a lock for each
/// group of users.
private final class StripedProfiles: OPTUserProfileService {
    private final class Stripe {
        let lock = NSLock()
        var profiles: [String: UPProfile] = [:]
        let cacheLinePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
            0, 0, 0, 0, 0, 0, 0, 0
        )
    }

    private let stripes = (0..<64).map { _ in Stripe() }

    func lookup(userId: String) -> UPProfile? {
        let stripe = stripe(of: userId)
        return stripe.lock.withLock { stripe.profiles[userId] }
    }

    func save(userProfile: UPProfile) {
        guard let user = userProfile["user_id"] as? String else { return }
        let stripe = stripe(of: user)
        stripe.lock.withLock { stripe.profiles[user] = userProfile }
    }

    private func stripe(of userID: String) -> Stripe { stripes[userID.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 63] }
}

extension Person {
    /// The attributes in the types of the drop-in interface.
    fileprivate var anyAttributes: [String: Any] {
        Dictionary(uniqueKeysWithValues: zip(names, values).map { ($0, $1.anyValue) })
    }
}

extension AttributeValue {
    fileprivate var anyValue: Any {
        switch self {
        case .string(let value): value
        case .integer(let value): Int(value)
        case .double(let value): value
        case .bool(let value): value
        default: NSNull()
        }
    }
}

@inline(__always)
private func read(_ decision: OptimizelyDecision) -> Int {
    (decision.variationKey?.utf8.count ?? 0) &+ (decision.ruleKey?.utf8.count ?? 0) &+ (decision.enabled ? 1 : 0)
}
