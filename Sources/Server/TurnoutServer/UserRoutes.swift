import TurnoutClient
import TurnoutEngine

/// `POST /users/forget` forgets what is stored about a user.
///
/// The id is in the body, `{"user_id": "ada"}`, because proxies log paths, and a path cannot end in `..`, which is a
/// valid id.
struct UserRoutes: Sendable {
    let forgetting: UserForgetting
    /// Passes requests on; nil if the server has no hub.
    let hub: HubLink?
    /// The users whom spokes have to forget, too.
    let forgotten: ForgottenUsers
    /// Whether an engine has the events.
    let hasEngine: Bool
    /// Receives failures.
    let messages: any Log

    var all: [Route] {
        [
            Route("POST", "/users/forget", "forgets what is stored about a user", access: .management(.users)) {
                guard case .string(let user)? = (try? JSONValue(parsing: $0.body))?["user_id"],
                    SegmentLimits.allows(user)
                else { return .now(Self.badBody) }
                return .later { await forget(user) }
            }
        ]
    }

    private static let badBody = ServerResponse.error(
        400, "expected an object with \"user_id\", a string of 1 to \(SegmentLimits.textLength) bytes")

    private func forget(_ user: String) async -> ServerResponse {
        do {
            try await hub?.forget(user)
            let outcome = try await forgetting.forget(user)
            let others = hub != nil ? "; asked the hub" : forgotten.hasSpokes ? "; told the spokes" : ""
            let engine = hasEngine ? "; deleted in the engine" : ""
            return .json([
                "ids": .array(outcome.ids.map(JSONValue.string)),
                "events": .integer(Int64(outcome.events.events)),
                "requests": .integer(Int64(outcome.events.requests)),
                // Behind a load balancer another server may have more of the user.
                "scope": .string("this node" + others + engine),
            ])
        } catch ProfileStoreError.cannotForget {
            messages(.error, "users: \(ProfileStoreError.cannotForget); events, lists and devices are kept")
            return .error(501, "\(ProfileStoreError.cannotForget); events, lists and devices are kept")
        } catch {
            messages.failure(.error, "users: a user was forgotten only in part; repeat the request", error)
            return .error(503, "not everything is forgotten; send the request again")
        }
    }
}
