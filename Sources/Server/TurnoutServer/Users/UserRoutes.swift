import TurnoutClient
import TurnoutEngine

/// `DELETE /users/{user}` forgets what is stored about a user. `POST /users/{user}/forget` is the same, for clients
/// without the method.
struct UserRoutes: Sendable {
    private let forgetting: UserForgetting
    private let messages: any Log

    /// Creates the route.
    ///
    /// - Parameters:
    ///   - forgetting: Forgets users.
    ///   - messages: Receives failures.
    init(_ forgetting: UserForgetting, messages: any Log) {
        (self.forgetting, self.messages) = (forgetting, messages)
    }

    var all: [Route] {
        [("DELETE", "/users/{user}"), ("POST", "/users/{user}/forget")].map { method, pattern in
            Route(method, pattern, "forgets what is stored about a user", access: .management(.users)) { request in
                let user = request.parameters[0]
                guard SegmentLimits.allows(user) else { return .now(Self.badID) }
                return .later { await forget(user) }
            }
        }
    }

    private static let badID = ServerResponse.error(400, "ids have 1 to \(SegmentLimits.textLength) bytes")

    private func forget(_ user: String) async -> ServerResponse {
        do {
            let outcome = try await forgetting.forget(user)
            var writer = JSONWriter()
            writer.value(
                .object([
                    "ids": .array(outcome.ids.map(JSONValue.string)),
                    "events": .integer(Int64(outcome.events.events)),
                    "requests": .integer(Int64(outcome.events.requests)),
                ]))
            writer.newline()
            return .json(200, writer.bytes)
        } catch is CannotForget {
            messages(.error, "users: \(CannotForget()); none was forgotten")
            return .error(501, "\(CannotForget()); nothing is forgotten")
        } catch {
            messages.failure(.error, "users: one could not be forgotten completely; send the request again", error)
            return .error(503, "not everything is forgotten; send the request again")
        }
    }
}
