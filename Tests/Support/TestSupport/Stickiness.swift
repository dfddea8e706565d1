import Foundation
import Testing
package import TurnoutClient
import TurnoutTestKit

/// Checks that users keep their assignment when all traffic goes to one variation, and move when the store is emptied.
///
/// - Parameters:
///   - store: Opens the store, as another process would.
///   - empty: Deletes all profiles.
/// - Throws: The errors of the store.
package func checkThatUsersStay(
    in store: () throws -> any ProfileStore, until empty: () async throws -> Void
) async throws {
    let clients = SplitClients()
    let users = UnusualUsers.ids + (0..<50).map { "lovelace \($0)" }
    let before = clients.variations(users)
    #expect(Set(before.values).count == 2)
    let first = clients.client(try store())
    for user in users { _ = first.user(user).decide("a") }
    let others = [try store(), try store().applying(ProfilePolicy())].map(clients.client)
    var script = SplitClients.script
    script.revision = "2"
    let shifted = String(decoding: script.datafile, as: UTF8.self)
        .replacing(/"endOfRange": *[0-9]+/, with: #""endOfRange": 10000"#)
    for client in [first] + others {
        try client.update(to: Array(shifted.utf8))
        for user in users {
            let decision = client.user(user).decide("a")
            #expect(decision.variationKey == before[user] && decision.stage == .storedAssignment)
        }
        #expect(client.profileFailures.total == 0)
    }
    try await empty()
    for user in users {
        // A server that failed is used again after a moment.
        try await wait("the store to be there") {
            let decision = first.user(user).decide("a")
            #expect(decision.variationKey == "1")
            return decision.reasons.isEmpty
        }
    }
}
