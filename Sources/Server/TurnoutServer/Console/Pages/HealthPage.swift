import TurnoutReports

/// Whether the server works, in words: problems first.
struct HealthPage: Sendable {
    let state: ServerState

    var page: ConsolePage {
        let (problems, impairments) = (state.problems, state.impairments)
        return ConsolePage("Health", in: .health, [.paragraph(HTML("\(problems.count) \(impairments.count)"))])
    }
}
