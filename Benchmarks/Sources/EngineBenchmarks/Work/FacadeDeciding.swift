import CAllocationCounter
import Foundation
import Optimizely
import TurnoutEngine

extension Subject {
    /// A client of the drop-in interface that sends no events.
    func makeOptimizelyClient() throws -> OptimizelyClient {
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, eventDispatcher: DefaultEventDispatcher(backingStore: .memory),
            userProfileService: ForgetfulProfiles(), defaultLogLevel: .off,
            defaultDecideOptions: [.disableDecisionEvent, .ignoreUserProfileService])
        try client.start(datafile: Data(bytes), doFetchDatafileBackground: false)
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

/// Stores nothing, as in the measurements of the vendor's client.
private final class ForgetfulProfiles: OPTUserProfileService {
    func lookup(userId: String) -> UPProfile? { nil }
    func save(userProfile: UPProfile) {}
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
