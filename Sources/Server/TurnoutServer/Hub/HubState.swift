import TurnoutEngine

/// What a hub tells its spokes: everything that a datafile cannot carry. It is small, and contains no events.
struct HubState: Decodable, Sendable, Equatable {
    /// A user whom the hub has forgotten.
    struct ForgottenUser: Decodable, Sendable, Equatable {
        /// The number of the request; later ones are greater.
        let number: Int64
        /// The ids of the user and of the devices.
        let ids: [String]
    }

    /// The days for which a hub keeps the ids of forgotten users for its spokes.
    static let days: Int64 = 30

    /// The hub's UTC day since 1970.
    var day: Int64 = 0
    var sdkKeys: [String] = []
    var bandits: [CopiedBandit] = []
    /// When the weights of the bandits were computed, in milliseconds since 1970.
    var updated: Int64?
    /// Users after the last one whom the spoke has forgotten.
    var forgotten: [ForgottenUser] = []
}

extension HubState {
    /// Whether a hub can have all these numbers. Others would overflow, or leave users without a variation.
    var isPlausible: Bool {
        // Until about the year 3000.
        (0...400_000).contains(day) && (0...35_000_000_000_000).contains(updated ?? 0)
            && forgotten.allSatisfy { (1..<Int64.max / 2).contains($0.number) }
            && bandits.allSatisfy { bandit in
                let sum = bandit.variations.reduce(0) { $0 + $1.weight }
                return bandit.variations.allSatisfy { (0...1).contains($0.weight) && $0.users >= 0 }
                    && (bandit.variations.isEmpty || abs(sum - 1) < 0.01)
            }
    }
}

extension JSONWriter {
    /// Writes the members of a hub's state.
    mutating func members(of state: HubState) {
        member("day", state.day)
        member("sdkKeys", state.sdkKeys)
        if let updated = state.updated { member("updated", updated) }
        objects("bandits", state.bandits) { $0.members(of: $1) }
        members(of: state.forgotten, named: "forgotten")
    }

    /// Writes a member with forgotten users.
    mutating func members(of users: [HubState.ForgottenUser], named name: String) {
        objects(name, users) { writer, user in
            writer.member("number", user.number)
            writer.member("ids", user.ids)
        }
    }
}
