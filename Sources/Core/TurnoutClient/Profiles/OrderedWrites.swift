/// Additions on their way to a store, for callers who wait only so long: those of one user one after the other, so that
/// one that is late never replaces a later one.
///
/// What comes for a user while an addition is under way is merged, and goes next, in one call. So there is at most one
/// call for a user at a time, and a user about whom the store does not answer takes the place of one.
final class OrderedWrites: Sendable {
    private typealias Caller = Awaited<Result<Void, any Error>>

    /// What goes to the store with one call.
    private struct Batch {
        var assignments: [String: String] = [:]
        var callers: [Caller] = []
        /// Callers who were sent away at once, because an earlier addition is late.
        var lateCount = 0
    }

    /// The additions for one user that are under way.
    private struct Lane {
        let number: Int
        /// The call that makes them, by its number; nil: it is about to begin.
        var call: Int?
        /// Whether somebody's time was up during the present call of the store.
        var isLate = false
        /// What goes next.
        var next: Batch?

        /// Adds to what goes next. Without a caller nobody waits for it.
        mutating func add(_ assignments: [String: String], _ caller: Caller?) {
            var batch = next.take() ?? Batch()
            batch.assignments.merge(assignments) { $1 }
            if let caller { batch.callers.append(caller) } else { batch.lateCount += 1 }
            next = batch
        }
    }

    private struct State {
        var lanes: [ExactText: Lane] = [:]
        var laneCount = 0
        /// How many assignments wait for their call.
        var waitingCount = 0
        var flushes = FlushList<ExactText>()

        /// Puts assignments behind what is on its way for a user.
        mutating func join(_ assignments: [String: String], of user: ExactText, _ caller: Caller) -> Step {
            let isNew = lanes[user] == nil
            let known = lanes[user]?.next?.assignments
            let growth = assignments.keys.count { known?[$0] == nil }
            guard isNew || waitingCount + growth <= OrderedWrites.waitingLimit else { return .full }
            waitingCount += growth
            if isNew { laneCount += 1 }
            var lane = lanes.removeValue(forKey: user) ?? Lane(number: laneCount)
            let isLate = lane.isLate
            lane.add(assignments, isLate ? nil : caller)
            lanes[user] = lane
            return isNew ? .begin(lane: lane.number) : isLate ? .late : .wait(lane: lane.number)
        }

        /// Keeps the number of the call that serves a lane. Whether somebody's time is up already.
        mutating func begun(_ call: Int, _ lane: Int, of user: ExactText) -> Bool {
            guard lanes[user]?.number == lane else { return false }
            lanes[user]?.call = call
            return lanes[user]?.isLate == true
        }

        /// Somebody's time is up. Returns the call that is late; nil: none is.
        mutating func markLate(_ lane: Int, of user: ExactText) -> Int? {
            guard lanes[user]?.number == lane else { return nil }
            lanes[user]?.isLate = true
            return lanes[user]?.call
        }

        /// The store has answered, so those who come now may wait again. Returns the call that serves the user.
        mutating func answered(_ user: ExactText) -> Int? {
            lanes[user]?.isLate = false
            return lanes[user]?.call
        }

        /// What goes next for a user; nil: nothing, and the lane is closed. Returns how to tell those who waited for
        /// that.
        mutating func next(of user: ExactText) -> (Batch?, [FlushList.End]) {
            guard let batch = lanes[user]?.next else {
                lanes[user] = nil
                return (nil, flushes.arrived(user))
            }
            waitingCount -= batch.assignments.count
            lanes[user]?.next = nil
            return (batch, [])
        }
    }

    /// How a caller goes on.
    private enum Step { case begin(lane: Int), wait(lane: Int), late, full }

    /// How many assignments may wait behind calls of the store, some 3 MB.
    fileprivate static let waitingLimit = 10_000

    private let store: any ProfileStore
    private let calls: BoundedCalls
    private let onLoss: @Sendable (_ count: Int, any Error) -> Void
    private let state = Locked(State())

    /// Prepares to write to a store.
    ///
    /// - Parameters:
    ///   - store: Takes the assignments.
    ///   - calls: Makes the calls.
    ///   - onLoss: Called with the number of additions that failed when nobody waited for them any longer.
    init(
        _ store: any ProfileStore, calls: BoundedCalls, onLoss: @escaping @Sendable (_ count: Int, any Error) -> Void
    ) {
        self.store = store
        self.calls = calls
        self.onLoss = onLoss
    }

    /// Adds assignments to those of a user, behind what is on its way for the user, and waits for the store's answer.
    ///
    /// - Throws: ``ProfileStoreError/late`` if it did not come in time, or an earlier addition is late; this one goes
    ///   on by itself. ``ProfileStoreError/stuck`` or ``ProfileStoreError/full`` if nothing was done; or what the store
    ///   throws.
    func add(_ assignments: [String: String], for userID: String, within limit: Duration) throws {
        let (user, caller) = (ExactText(userID), Caller())
        let lane: Int
        switch state.withLock({ $0.join(assignments, of: user, caller) }) {
        case .late: throw ProfileStoreError.late
        case .full: throw ProfileStoreError.full
        case .wait(let number): lane = number
        case .begin(let number):
            lane = number
            begin(lane, of: user)
        }
        if let result = caller.value(within: limit) { return try result.get() }
        let call = state.withLock { $0.markLate(lane, of: user) }
        if let call { calls.giveUp(call, goesOn: true) }
        throw ProfileStoreError.late
    }

    /// Waits until what is on its way now has arrived or failed, but not longer than a limit.
    func flush(within limit: Duration) async {
        await waitForFlush(within: limit, on: .continuous) { end in
            state.withLock { $0.lanes.isEmpty ? nil : $0.flushes.add($0.lanes.keys, end) }
        } leave: { number in
            state.withLock { $0.flushes.remove(number) }
        }
    }

    // MARK: The call

    private func begin(_ lane: Int, of user: ExactText) {
        do {
            let call = try calls.begin { self.write(of: user) }
            let isLate = state.withLock { $0.begun(call, lane, of: user) }
            if isLate { calls.giveUp(call, goesOn: true) }
        } catch {
            while let batch = next(of: user) { tell(batch, .failure(ProfileStoreError.stuck)) }
        }
    }

    /// Writes what there is for a user, until there is nothing more.
    private func write(of user: ExactText) {
        while let batch = next(of: user) {
            tell(batch, Result { try store.remember(batch.assignments, for: user.text) })
            if let call = state.withLock({ $0.answered(user) }) { calls.answered(call) }
        }
    }

    /// What goes next for a user; nil: nothing, and the lane is closed.
    private func next(of user: ExactText) -> Batch? {
        let (batch, ends) = state.withLock { $0.next(of: user) }
        for end in ends { end() }
        return batch
    }

    private func tell(_ batch: Batch, _ result: Result<Void, any Error>) {
        let goneCount = batch.callers.count { !$0.finish(result) } + batch.lateCount
        if case .failure(let error) = result, goneCount > 0 { onLoss(goneCount, error) }
    }
}
