/// The impressions of the samples' decisions.
extension TestNetwork {
    /// Waits for a number of impressions. Returns their users and the variations of the page's datafile, sorted.
    func impressions(_ count: Int) async throws -> [String] {
        try await wait("\(count) impressions") { try events().count >= count }
        let names = ["11": "red", "12": "blue", "21": "on"]
        return try events().map { event in
            let variation = event.decision?["variation_id"]?.text
            return "\(event.user) \(variation.flatMap { names[$0] } ?? "none")"
        }.sorted()
    }
}
