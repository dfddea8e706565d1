import Testing
package import TurnoutClient
package import TurnoutTestKit

/// Clients whose flag `a` is split between the variations 1 and 2, with or without stored assignments.
package struct SplitClients: Sendable {
    package static let script = Script(.split("a", between: "1", "2"))

    /// The messages of all clients.
    package let log = MemoryLog()
    /// Whether no message contains a user id.
    package var isLogClean: Bool { log.entries.allSatisfy { !UnusualUsers.appear(in: $0.message) } }

    package init() {}

    package func client(_ store: (any ProfileStore)?) -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.profiles = store
        configuration.log = log
        return FlagClient.scripted(Self.script, configuration: configuration)
    }

    /// The decision for every user, without a store.
    package func variations(_ users: [String]) -> [String: String] {
        let client = client(nil)
        return users.reduce(into: [:]) { $0[$1] = client.user($1).decide("a").variationKey }
    }

    /// Checks the first decisions after the store has failed: those without a store, and reported as such.
    package func checkDecisionsWithoutStore(_ client: FlagClient, _ users: [String]) async {
        let expected = variations(users)
        for user in users {
            for decision in [client.user(user).decide("a"), await client.user(user).decide("a", within: .seconds(30))] {
                #expect(decision.variationKey == expected[user])
                #expect(decision.reasons.map { "\($0)" } == ["User profile unavailable."])
            }
        }
        #expect(client.profileFailures[.lookupFailed] == 2 * users.count)
        #expect(client.profileFailures.total == 2 * users.count)
    }

    /// Checks what a load has found during faults, when it has stopped.
    package func check(_ load: DecisionLoad, of client: FlagClient) {
        #expect(load.surprises.all == [])
        #expect(client.profileFailures[.lookupFailed] >= load.withoutProfileCount)
        #expect(log.entries.contains { $0.level == .error } && isLogClean)
    }

    /// Checks that all users are stored, with the decided variations.
    package func check(_ profiles: [String: UserProfile], _ expected: [String: String]) throws {
        let experiment = try #require(client(nil).project?.experiment("a"))
        let ids = Dictionary(uniqueKeysWithValues: experiment.variations.map { ($0.key, $0.id) })
        for (user, profile) in profiles {
            #expect(expected[user].flatMap { profile.assignments[experiment.id] == ids[$0] } == true)
        }
    }
}
