import TestSupport
import Testing
import TurnoutEngine

/// What arrived of the decisions that samples make.
extension Town {
    /// Waits until so many impressions arrived. Whose they are, and the variations of the page's datafile, sorted.
    func impressions(_ count: Int) async throws -> [String] {
        try await wait("\(count) impressions") { try events().count >= count }
        let names = ["11": "red", "12": "blue", "21": "on"]
        return try events().map { event in
            let variation = event.decision?["variation_id"]?.text
            return "\(event.user) \(variation.flatMap { names[$0] } ?? "none")"
        }.sorted()
    }
}
