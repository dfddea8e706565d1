package import TurnoutClient

/// Forgets what a server stores about a user: events, assignments, places in lists, and devices. Caches and overrides
/// in memory stay; see `Documentation/Guides/PersonalData.md`.
///
/// The user's devices are ids of the user, so what is known of them is forgotten, too. The link between user and device
/// is deleted last: after a crash, a repeated call finds all of them again.
package struct UserForgetting: Sendable {
    package struct Outcome: Sendable, Equatable {
        /// The user and the devices.
        package var ids: [String]
        /// What was deleted of their events.
        package var events: ForgottenEvents
    }

    private let forgetEvents: @Sendable ([String]) async throws -> ForgottenEvents
    private let segments: SegmentDatabase?
    private let profiles: [any ProfileStore]
    private let beforehand: @Sendable ([String]) throws -> Void
    private let onChange: @Sendable () throws -> Void

    /// Creates the operation.
    ///
    /// - Parameters:
    ///   - segments: The lists and devices; nil if there are none.
    ///   - profiles: The stores of assignments.
    ///   - beforehand: Called with the user and the devices before anything is deleted; may block. Default: nothing.
    ///   - onChange: Called after the lists and devices have changed; may block. Default: does nothing.
    ///   - events: Deletes the events of some users.
    package init(
        segments: SegmentDatabase?, profiles: [any ProfileStore],
        beforehand: @escaping @Sendable ([String]) throws -> Void = { _ in },
        onChange: @escaping @Sendable () throws -> Void = {},
        events: @escaping @Sendable ([String]) async throws -> ForgottenEvents
    ) {
        forgetEvents = events
        self.segments = segments
        self.profiles = profiles
        self.beforehand = beforehand
        self.onChange = onChange
    }

    /// Forgets a user.
    ///
    /// - Parameter user: The id of the user, or of a device alone.
    /// - Returns: What was forgotten; an unknown user is no error.
    /// - Throws: ``ProfileStoreError/cannotForget`` if a profile store cannot; then events, lists and devices stay, and
    ///   stores before it have forgotten the user. The error of a store; then a part may be forgotten, and a repeated
    ///   call forgets the rest.
    package func forget(_ user: String) async throws -> Outcome {
        let ids = try await BlockingCall.result { [segments, profiles, beforehand] in
            let ids = [user] + (try segments?.devices(of: user) ?? []).filter { $0 != user }
            try beforehand(ids)
            for store in profiles {
                for id in ids { try store.forget(id) }
            }
            return ids
        }
        let events = try await forgetEvents(ids)
        try await BlockingCall.result { [segments, onChange] in
            _ = try segments?.forget(ids)
            try onChange()
        }
        return Outcome(ids: ids, events: events)
    }
}
