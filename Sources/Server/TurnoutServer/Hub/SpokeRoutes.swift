import TurnoutClient
import TurnoutEngine

/// The routes that spokes ask a hub: `GET /spokes` for what a datafile cannot carry, and `POST /spokes/forgotten` after
/// a spoke has forgotten a user.
///
/// The hub deletes the user's events again then: the spoke may have forwarded some after the hub had deleted them.
struct SpokeRoutes: Sendable {
    let users: ForgottenUsers
    let datafiles: DatafileDirectory
    let predictions: PredictionService
    let forgetEvents: @Sendable ([String]) async throws -> ForgottenEvents
    let messages: any Log

    var all: [Route] {
        [
            Route("GET", "/spokes", "what a spoke copies from its hub", access: .management(.users)) { request in
                let number = request.head.query["after"].flatMap { Int64($0) } ?? 0
                return .blocking { state(after: number) }
            },
            Route(
                "POST", "/spokes/forgotten", "tells the hub that a spoke has forgotten a user",
                access: .management(.users)
            ) { request in
                guard case .integer(let number)? = (try? JSONValue(parsing: request.body))?["number"] else {
                    return .now(.error(400, "expected an object with \"number\", a whole number"))
                }
                return .later { await forgetAgain(number) }
            },
        ]
    }

    private func state(after number: Int64) -> ServerResponse {
        do {
            let state = HubState(
                day: users.day, sdkKeys: datafiles.sdkKeys, bandits: predictions.bandits.map(\.copied),
                updated: predictions.updated, forgotten: try users.users(after: number))
            return .json { $0.members(of: state) }
        } catch {
            messages.failure(.error, "spokes: the list of forgotten users cannot be read or written", error)
            return .error(503, "the list of forgotten users cannot be read or written; the hub's log says why")
        }
    }

    private func forgetAgain(_ number: Int64) async -> ServerResponse {
        do {
            let ids = try await BlockingCall.result { try users.ids(of: number) }
            if let ids { _ = try await forgetEvents(ids) }
            return ServerResponse(204)
        } catch {
            messages.failure(.error, "spokes: a user was not forgotten again; the spoke repeats its request", error)
            return .error(503, "not everything is forgotten; send the request again")
        }
    }
}
