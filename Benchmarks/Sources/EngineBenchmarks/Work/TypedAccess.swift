import CAllocationCounter
import TurnoutClient

/// Reading an integer variable of a flag, by its keys and as generated code does, compared with deciding alone.
struct TypedAccess: Sendable {
    private static let readsPerRun = 20_000
    private static let pairs = 51

    /// The flags with an integer variable, and the key of its last one.
    private let variables: [(flag: String, variable: String)]
    private var contexts: [UserContext]
    private let client: FlagClient

    /// Nil if no flag of the subject has an integer variable.
    init?(_ subject: Subject) {
        guard let client = try? subject.makeClient() else { return nil }
        self.client = client
        contexts = subject.users.map { UserContext(client: client, user: $0) }
        variables = subject.project.flags.compactMap { flag in
            flag.variables.last { $0.type == .integer }.map { (flag.key, $0.key) }
        }
        if variables.isEmpty { return nil }
    }

    /// Workers with one client and users of their own.
    func workers(_ worker: @escaping (TypedAccess) -> Worker) -> Workers {
        { subject in
            var own = self
            own.contexts = subject.users.map { UserContext(client: client, user: $0) }
            return worker(own)
        }
    }

    /// Decides, and reads only whether the flag is on.
    func decide(_ times: Int) {
        rotate(times) { $0.decide($1.flag).isEnabled ? 1 : 0 }
    }

    /// Reads the variable by its keys.
    func value(_ times: Int) {
        rotate(times) { $0.value($1.flag, $1.variable, default: 3) }
    }

    /// Decides and reads the variable as the code of `turnout generate swift` does.
    func generated(_ times: Int) {
        rotate(times) { client.decide($1.flag, for: $0.user, options: []).variables.integer($1.variable) ?? 3 }
    }

    /// The time that a way to read takes in addition to deciding, in nanoseconds. Alternates both, so that a slower
    /// phase of the machine affects both.
    func nanosecondsAdded(by read: (Int) -> Void) -> Double {
        median(
            (0..<Self.pairs).map { _ in
                let deciding = Stopwatch.nanoseconds { decide(Self.readsPerRun) }
                return Double(Stopwatch.nanoseconds { read(Self.readsPerRun) } - deciding) / Double(Self.readsPerRun)
            })
    }

    @inline(__always)
    private func rotate(_ times: Int, _ read: (UserContext, (flag: String, variable: String)) -> Int) {
        var checksum = 0
        var place = 0
        for index in 0..<times {
            checksum &+= read(contexts[index / 64 % contexts.count], variables[place])
            place = place + 1 == variables.count ? 0 : place + 1
        }
        keep_result(Int64(checksum))
    }
}
