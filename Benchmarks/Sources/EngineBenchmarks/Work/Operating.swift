import CAllocationCounter
import TurnoutClient

extension Subject {
    /// Reads the status of a client.
    func clientStatus() -> Workers? {
        guard let client = try? makeClient() else { return nil }
        return { _ in
            { times in
                var checksum = 0
                for _ in 0..<times { checksum &+= client.status.events.waiting }
                keep_result(Int64(checksum))
            }
        }
    }

    /// Makes the text for Prometheus of a client that counts decisions, and has decided each flag.
    func clientMetrics() -> Workers? {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.defaultOptions = .disableDecisionEvent
        configuration.countsDecisions = true
        guard let client = try? FlagClient(datafile: bytes, configuration) else { return nil }
        for user in users { _ = client.decideAll(for: user) }
        return { _ in
            { times in
                var checksum = 0
                for _ in 0..<times { checksum &+= client.metrics.prometheus().utf8.count }
                keep_result(Int64(checksum))
            }
        }
    }
}
