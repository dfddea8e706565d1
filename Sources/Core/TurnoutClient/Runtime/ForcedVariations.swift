/// Forced variations: variation ids by user and experiment id. They live as long as the client.
final class ForcedVariations: Sendable {
    private let table = Locked<[ByteKey: [String: String]]>([:])

    subscript(userID: String) -> [String: String] {
        let user = ByteKey(userID)
        return table.withLock { $0[user] ?? [:] }
    }

    func set(_ variationID: String?, experimentID: String, userID: String) {
        let user = ByteKey(userID)
        table.withLock { table in
            table[user, default: [:]][experimentID] = variationID
            if table[user]?.isEmpty == true { table[user] = nil }
        }
    }
}
