import TurnoutClient
import TurnoutEngine

/// The decisions for a user with their traces, made with what the server knows of the user. Nothing is sent or stored.
struct DecisionExplanation: Sendable {
    /// The user with the segments that the decisions consider, beside those that were given.
    let user: User
    let traces: [DecisionTrace]
    /// The stored assignments to experiments of the datafile: variation keys by experiment keys.
    let assignments: [(experiment: String, variation: String)]
    /// What is not known of the user.
    var problems: [String] = []

    /// Explains decisions. Blocks for the stores of assignments and segments.
    ///
    /// - Parameters:
    ///   - flags: The keys of the flags.
    ///   - user: The user.
    ///   - client: Decides.
    ///   - platform: Knows the user's segments.
    init(of flags: [String], for user: User, by client: DecisionClient, _ platform: SegmentPlatform) {
        var (user, profile) = (user, UserProfile())
        do { user.segments.formUnion(try platform.membership(of: user.id)?.segments.map(\.text) ?? []) } catch {
            problems.append("The user's segments cannot be looked up, so none are considered that are not given.")
        }
        do { profile = try client.profiles?.profile(of: user.id) ?? profile } catch {
            problems.append("The user's stored assignments cannot be looked up, so none are considered.")
        }
        let project = client.served.project
        traces = client.explain(flags, for: user, profile: profile)
        assignments = project.experiments.compactMap { experiment in
            profile.assignments[experiment.id].map { id in
                (experiment.key, experiment.variations.first { $0.id == id }?.key ?? "a variation that is gone")
            }
        }
        self.user = user
    }
}
