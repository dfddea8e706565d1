package import TurnoutClient

/// Forgets everything that a server keeps about a user: events, assignments, places in lists, and devices.
///
/// The user's devices are ids of the user, so what is known of them is forgotten, too. The link between both goes last:
/// if the process ends before, a repeated call finds all of them again.
package struct UserForgetting: Sendable {
    /// What was forgotten.
    package struct Outcome: Sendable, Equatable {
        /// The user and the devices.
        package var ids: [String]
        /// What was deleted of their events.
        package var events: ForgottenEvents
    }

    private let forgetEvents: @Sendable ([String]) async throws -> ForgottenEvents
    private let segments: any SegmentStore
    private let profiles: [any ProfileStore]

    /// Creates the operation.
    ///
    /// - Parameters:
    ///   - segments: The lists and devices.
    ///   - profiles: The stores of assignments.
    ///   - events: Deletes the events of some users.
    package init(
        segments: any SegmentStore, profiles: [any ProfileStore],
        events: @escaping @Sendable ([String]) async throws -> ForgottenEvents
    ) {
        forgetEvents = events
        self.segments = segments
        self.profiles = profiles
    }

    /// Forgets a user.
    ///
    /// - Parameter user: The id of the user, or of a device alone.
    /// - Returns: What was forgotten; an unknown user is no error.
    /// - Throws: The error of a store. Then a part may be forgotten; a repeated call forgets the rest.
    package func forget(_ user: String) async throws -> Outcome {
        let ids = try await blocking { [segments] in [user] + (try segments.devices(of: user)).filter { $0 != user } }
        let events = try await forgetEvents(ids)
        // Assignments that wait would be stored later.
        for store in profiles { await store.flush(within: .seconds(5)) }
        try await blocking { [segments, profiles] in
            for store in profiles {
                guard let store = store as? any ForgettingProfileStore else { throw CannotForget() }
                for id in ids { try store.forget(id) }
            }
            _ = try segments.forget(ids)
        }
        return Outcome(ids: ids, events: events)
    }
}
