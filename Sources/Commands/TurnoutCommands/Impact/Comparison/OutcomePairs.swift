import TurnoutEngine

/// The pairs of outcomes of one flag, with the number of users of each.
///
/// A flag has few distinct pairs for any number of users, so memory is bounded by the datafiles. A pair is looked up
/// for every user and flag: the table hashes two words and compares rows, without building texts.
struct OutcomePairs: Sendable {
    private(set) var pairs: [OutcomePair] = []
    private(set) var changes: [FlagChange] = []
    /// The kinds of ``changes``, apart from the other fields because they are read for every user.
    private(set) var kinds: [ChangeKinds] = []
    /// The ranks of ``changes``, likewise.
    private(set) var ranks: [Int] = []
    var users: [Int] = []
    var examples: [ExampleUsers] = []
    /// Open addressing: the index of a pair plus one, or 0 for an empty slot. The size is a power of two, at most half
    /// full.
    private var slots: [Int32] = Array(repeating: 0, count: 32)

    /// The index of a pair, if it is known.
    @inline(__always)
    func index(of pair: OutcomePair) -> Int? {
        let index = slots[slot(of: pair)]
        return index == 0 ? nil : Int(index) - 1
    }

    /// Adds a pair that is not known yet, with its changes. Returns its index.
    mutating func add(_ pair: OutcomePair, _ change: FlagChange, exampleLimit: Int) -> Int {
        pairs.append(pair)
        changes.append(change)
        kinds.append(change.kinds)
        ranks.append(change.rank)
        users.append(0)
        examples.append(ExampleUsers(limit: exampleLimit))
        guard pairs.count * 2 > slots.count else {
            slots[slot(of: pair)] = Int32(pairs.count)
            return pairs.count - 1
        }
        slots = Array(repeating: 0, count: slots.count * 2)
        for index in pairs.indices { slots[slot(of: pairs[index])] = Int32(index + 1) }
        return pairs.count - 1
    }

    /// The slot of a pair, or the empty one where it belongs.
    @inline(__always)
    private func slot(of pair: OutcomePair) -> Int {
        let mask = slots.count - 1
        let hash = (pair.old.word &* 0x9E37_79B9_7F4A_7C15 ^ pair.new.word) &* 0xBF58_476D_1CE4_E5B9
        var slot = Int(truncatingIfNeeded: hash >> 32) & mask
        while slots[slot] != 0, pairs[Int(slots[slot]) - 1] != pair { slot = (slot + 1) & mask }
        return slot
    }
}

/// A few users, those with the highest rank; of equals those with the most changes, then the first ones.
package struct ExampleUsers: Sendable {
    package struct Example: Sendable {
        package let userID: String
        let rank: Int
        /// The place of the user in the order of all users.
        let place: Int
        /// The flags that differ for the user, by number, with their outcomes.
        let changes: [(flag: Int, pair: OutcomePair)]
    }

    private let limit: Int
    /// In order, the most telling first.
    package private(set) var examples: [Example] = []

    init(limit: Int) { self.limit = limit }

    /// Adds a user unless there are enough others that come before.
    @inline(__always)
    mutating func add(_ userID: String, rank: Int, place: Int, _ changes: [(flag: Int, pair: OutcomePair)]) {
        if examples.count >= limit {
            guard let last = examples.last, last.isAfter(rank: rank, place: place, changeCount: changes.count)
            else { return }
        }
        insert(Example(userID: userID, rank: rank, place: place, changes: changes))
    }

    mutating func add(contentsOf other: ExampleUsers) {
        for example in other.examples { insert(example) }
    }

    private mutating func insert(_ example: Example) {
        let index = examples.firstIndex {
            $0.isAfter(rank: example.rank, place: example.place, changeCount: example.changes.count)
        }
        examples.insert(example, at: index ?? examples.count)
        if examples.count > limit { examples.removeLast() }
    }
}

extension ExampleUsers.Example {
    @inline(__always)
    fileprivate func isAfter(rank other: Int, place: Int, changeCount: Int) -> Bool {
        guard rank == other else { return rank < other }
        return changes.count < changeCount || changes.count == changeCount && self.place > place
    }
}
