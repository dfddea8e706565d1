import TurnoutClient
import TurnoutEngine

/// The users whom a hub has forgotten in the last 30 days, for its spokes, in `spokes.json` in the server's folder.
///
/// A spoke needs the ids themselves to find the users in its log. A server that no spoke has asked for 30 days keeps
/// none.
final class ForgottenUsers: Sendable {
    private struct State: Decodable {
        /// The last UTC day on which a spoke has asked.
        var asked: Int64?
        var users: [HubState.ForgottenUser] = []
    }

    private let directory: String
    private let wallClock: any WallClock
    private let state: Locked<State?> = Locked(nil)

    init(in directory: String, wallClock: any WallClock) { (self.directory, self.wallClock) = (directory, wallClock) }

    private var path: String { directory + "/spokes.json" }

    private static let millisecondsPerDay: Int64 = 86_400_000

    /// The current UTC day since 1970.
    var day: Int64 { wallClock.millisecondsSince1970() / Self.millisecondsPerDay }

    /// Whether a spoke has asked in the last 30 days, as of the last use.
    var hasSpokes: Bool { state.withLock { $0?.asked != nil } }

    /// Adds a user, if there are spokes: the disk has it when the function returns. Blocks.
    func add(_ ids: [String]) throws {
        try change { state in
            guard state.asked != nil else { return }
            // Also after the loss of the file, numbers grow.
            let number = max(wallClock.millisecondsSince1970(), (state.users.last?.number ?? 0) + 1)
            state.users.append(HubState.ForgottenUser(number: number, ids: ids))
        }
    }

    /// The users after a number. A spoke asks for them. Blocks.
    func users(after number: Int64) throws -> [HubState.ForgottenUser] {
        try change { state in
            state.asked = day
            return state.users.filter { $0.number > number }
        }
    }

    /// The ids of a forgotten user; nil if they are not kept any more. Blocks.
    func ids(of number: Int64) throws -> [String]? {
        try change { state in state.users.first { $0.number == number }?.ids }
    }

    /// Changes the list, without what is older than 30 days, and writes it if it has changed.
    private func change<Value>(_ body: (inout State) -> Value) throws -> Value {
        try state.withLock { kept in
            let earlier = try kept ?? read()
            var state = earlier
            let first = (day - HubState.days) * Self.millisecondsPerDay
            if let asked = state.asked, asked < day - HubState.days { state.asked = nil }
            state.users.removeAll { $0.number < first || state.asked == nil }
            let value = body(&state)
            if state.asked != earlier.asked || state.users != earlier.users { try write(state) }
            kept = state
            return value
        }
    }

    private func read() throws -> State {
        guard let file = try SegmentFile.read(path) else { return State() }
        return try JSONValue(parsing: file.bytes(at: 0, count: file.size)).decoded(as: State.self)
    }

    private func write(_ state: State) throws {
        let writer = JSONWriter.object {
            if let asked = state.asked { $0.member("asked", asked) }
            $0.members(of: state.users, named: "users")
        }
        try SystemCall.makeDirectory(directory)
        try SegmentFile.replace(path, with: writer.bytes)
    }
}
