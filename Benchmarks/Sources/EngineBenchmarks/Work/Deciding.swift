import CAllocationCounter
import TurnoutEngine

extension Subject {
    func decide(_ times: Int) {
        var checksum = 0
        rotate(times) { key, user in
            checksum &+= read(project.decide(key, for: user))
        }
        keep_result(Int64(checksum))
    }

    func decideForNewUsers(_ times: Int) {
        var checksum = 0
        var flag = 0
        for index in 0..<times {
            let user = profiles[index % profiles.count].user
            checksum &+= read(project.decide(flagKeys[flag], for: user))
            flag = flag + 1 == flagKeys.count ? 0 : flag + 1
        }
        keep_result(Int64(checksum))
    }

    func decideWithReasons(_ times: Int) {
        var checksum = 0
        rotate(times) { key, user in
            let decision = project.decide(key, for: user, options: .includeReasons)
            checksum &+= read(decision) &+ decision.reasons.count
        }
        keep_result(Int64(checksum))
    }

    func decideWithTrace(_ times: Int) {
        var checksum = 0
        rotate(times) { key, user in
            let trace = project.explain(key, for: user)
            checksum &+= read(trace.decision) &+ trace.stages.count
        }
        keep_result(Int64(checksum))
    }

    func decideAll(_ times: Int) {
        var checksum = 0
        for index in 0..<times {
            let user = users[index % users.count]
            for decision in project.decideAll(for: user).decisions { checksum &+= decision.isEnabled ? 1 : 0 }
        }
        keep_result(Int64(checksum))
    }
}

/// Reads the properties that applications read. A decision is a view, so unread properties would cost nothing.
@inline(__always)
func read(_ decision: Decision) -> Int {
    (decision.variationKey?.utf8.count ?? 0) &+ (decision.ruleKey?.utf8.count ?? 0) &+ (decision.isEnabled ? 1 : 0)
}
