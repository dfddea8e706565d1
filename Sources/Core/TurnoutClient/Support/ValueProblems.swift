/// Logs why values that were read with a default could not be used: each problem of a flag and variable once, because
/// such values are read with every request.
final class ValueProblems: Sendable {
    private struct Place: Hashable {
        var flag = ""
        var variable: String?
        var problem = ""

        /// Without a datafile all places are equal, so that its lack is logged once.
        init(_ decision: Decision, variable: String? = nil, problem: String = "") {
            guard decision.stage != .notReady else { return }
            (flag, self.variable, self.problem) = (decision.flagKey, variable, problem)
        }
    }

    /// Bounds the memory of programs that make up keys.
    private static let limit = 1_000

    private let log: any Log
    private let reported = Locked<Set<Place>>([])

    init(log: any Log) { self.log = log }

    /// Logs why a flag could not be decided.
    @inline(never)
    func report(_ decision: Decision) {
        if let cause = decision.cause, isNew(Place(decision)) { log(.warning, "\(cause); it counts as off") }
    }

    /// Logs why a default is used for a variable, and what to do.
    @inline(never)
    func report(_ decision: Decision, variable key: String, _ problem: String, advice: String = "") {
        guard !decision.isError else {
            if let cause = decision.cause, isNew(Place(decision, variable: key)) {
                log(.warning, "\(cause); using the defaults given in code")
            }
            return
        }
        guard isNew(Place(decision, variable: key, problem: problem)) else { return }
        log(.warning, "flag \(decision.flagKey.debugDescription): \(problem); using the default given in code\(advice)")
    }

    private func isNew(_ place: Place) -> Bool {
        reported.withLock { $0.count < Self.limit && $0.insert(place).inserted }
    }
}

extension Decision {
    /// Why the flag could not be decided; nil for reasons that are logged elsewhere.
    fileprivate var cause: String? {
        switch stage {
        case .notReady: "flags are read before there is a datafile; start the client first"
        case .flagNotFound: "the datafile has no flag \(flagKey.debugDescription)"
        default: nil
        }
    }
}
