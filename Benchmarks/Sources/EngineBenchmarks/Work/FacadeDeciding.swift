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
    func deciding(with client: OptimizelyClient) -> @Sendable (Int) -> Void {
        let contexts = profiles.map { client.createUserContext(userId: $0.id, attributes: $0.anyAttributes) }
        return { times in
            var checksum = 0
            rotate(times, among: contexts) { key, context in checksum &+= read(context.decide(key: key)) }
            // Contexts do not retain their client.
            withExtendedLifetime(client) {}
            keep_result(Int64(checksum))
        }
    }

    func facadeDecide() -> ((Int) -> Void)? { (try? makeOptimizelyClient()).map { deciding(with: $0) } }

    func facadeDecideForNewUsers() -> ((Int) -> Void)? {
        guard let client = try? makeOptimizelyClient() else { return nil }
        let people = profiles.map { (id: $0.id, attributes: $0.anyAttributes) }
        return { times in
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

    /// A client with a profile service of the application.
    func makeRememberingClient() throws -> OptimizelyClient {
        try makeOptimizelyClient(withProfiles: StripedProfiles())
    }

    func facadeDecideWithOwnProfiles() -> ((Int) -> Void)? {
        (try? makeRememberingClient()).map { deciding(with: $0) }
    }

    func facadeDecideWithDefaultProfiles() -> ((Int) -> Void)? {
        (try? makeOptimizelyClient(withProfiles: DefaultUserProfileService())).map { deciding(with: $0) }
    }

    func facadeContext() -> ((Int) -> Void)? {
        guard let client = try? makeOptimizelyClient() else { return nil }
        let people = profiles.map { (id: $0.id, attributes: $0.anyAttributes) }
        return { times in
            var checksum = 0
            for index in 0..<times {
                let person = people[index % people.count]
                let context = client.createUserContext(userId: person.id, attributes: person.attributes)
                checksum &+= context.userId.utf8.count
            }
            keep_result(Int64(checksum))
        }
    }

    /// Makes only decisions that cause an event. The dispatcher keeps 50 MB of events, so every ten thousand get a
    /// client of their own.
    func facadeDecideWithEvents() -> ((Int) -> Void)? {
        let sending = users.indices.flatMap { user in
            flagKeys.filter { project.decide($0, for: users[user]).impression != nil }.map { (key: $0, user: user) }
        }
        let attributes = profiles.map(\.anyAttributes)
        guard !sending.isEmpty else { return nil }
        return { times in
            var checksum = 0
            for start in stride(from: 0, to: times, by: 10_000) {
                guard let client = try? makeOptimizelyClient(options: [.ignoreUserProfileService]) else { return }
                let contexts = zip(profiles, attributes).map {
                    client.createUserContext(userId: $0.id, attributes: $1)
                }
                for index in start..<min(times, start + 10_000) {
                    let (key, user) = sending[index % sending.count]
                    checksum &+= read(contexts[user].decide(key: key))
                }
                withExtendedLifetime(client) {}
            }
            keep_result(Int64(checksum))
        }
    }

    func facadeDecideAll() -> ((Int) -> Void)? {
        guard let client = try? makeOptimizelyClient() else { return nil }
        let contexts = profiles.map { client.createUserContext(userId: $0.id, attributes: $0.anyAttributes) }
        return { times in
            var checksum = 0
            for index in 0..<times { checksum &+= contexts[index % contexts.count].decideAll().count }
            withExtendedLifetime(client) {}
            keep_result(Int64(checksum))
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
