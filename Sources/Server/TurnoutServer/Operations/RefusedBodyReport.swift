import TurnoutClient

extension RefusedBodies {
    /// What the server reports.
    var report: ServiceReport {
        var report = ServiceReport("bodies")
        report.metrics = {
            var snapshot = MetricsSnapshot()
            snapshot.add(
                .counter, "turnout_request_bodies_refused_total",
                "Bodies that no route could read, by reason. Nothing of them is kept.",
                Reason.allCases.map { .init(self[$0], .init("reason", $0.rawValue)) })
            return snapshot
        }
        return report
    }
}
