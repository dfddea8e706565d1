import CAllocationCounter
import Foundation
import TurnoutEngine

extension Subject {
    /// Creates impressions of earlier decisions, stamps them and writes their payloads; nil if no decision of the
    /// datafile is sent.
    ///
    /// The buffer is reused, as in a client that passes payloads to its queue.
    func impressions() -> Workers? { sendingDecisions.isEmpty ? nil : { $0.impressionWorker() } }

    private func impressionWorker() -> Worker {
        var decisions: [Decision] = []
        var users: [User] = []
        rotate(4_096) { key, user in
            let decision = project.decide(key, for: user)
            guard decision.impression != nil else { return }
            decisions.append(decision)
            users.append(user)
        }
        let encoder = EventEncoder(project: project, clientName: "swift-sdk", clientVersion: "1.0.0")
        return { [decisions, users] times in
            var writer = JSONWriter()
            var random = RandomSource(seed: 1)
            var checksum = 0
            for index in 0..<times {
                let place = index % decisions.count
                // Accessed in place, in two arrays: an element of one array of pairs would be copied.
                guard let impression = decisions[place].impression else { continue }
                writer.removeAll()
                let stamp = EventStamp(timestamp: millisecondsSince1970(), uuid: EventID(using: &random))
                encoder.write(impression, of: users[place], stamp: stamp, to: &writer)
                checksum &+= writer.count
            }
            keep_result(Int64(checksum))
        }
    }
}

private func millisecondsSince1970() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
