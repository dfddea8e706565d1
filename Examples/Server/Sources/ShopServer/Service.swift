import Synchronization
import TurnoutClient

/// The routes of the service. They share one client, on any number of threads.
final class Service: Sendable {
    /// How long a request waits for a remote store.
    private static let limit = Duration.milliseconds(50)

    let client: FlagClient
    private let isStopping = Atomic(false)

    init(_ configuration: ClientConfiguration) { client = FlagClient(configuration) }

    func respond(to request: HTTPServer.Request) async -> HTTPServer.Response {
        // The HTTP library leaves out the body of a response to HEAD.
        switch (request.method == "HEAD" ? "GET" : request.method, request.path) {
        case ("POST", "/decide"): await decide(request.body)
        case ("GET", "/health"): .json(["alive": .bool(true)])
        case ("GET", "/ready"): ready
        case ("GET", "/metrics"): .text(client.metrics.prometheus(), "text/plain; version=0.0.4; charset=utf-8")
        case ("GET", "/status"): .text("\(client.status)\n")
        case (_, "/decide"): .notAllowed(except: "POST")
        case (_, "/health"), (_, "/ready"), (_, "/metrics"), (_, "/status"): .notAllowed(except: "GET, HEAD")
        default: .error(404, "no such path")
        }
    }

    /// From now on, `/ready` says that requests should go to another instance.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    private var ready: HTTPServer.Response {
        if isStopping.load(ordering: .relaxed) { return .error(503, "the service is stopping") }
        return client.isReady ? .json(["ready": .bool(true)]) : .error(503, "there is no datafile yet")
    }

    /// Decides for a user, `{"user": "ada", "attributes": {…}}`, and tracks the request's `"event"`, if any. Without a
    /// datafile, the user gets the defaults.
    private func decide(_ body: [UInt8]) async -> HTTPServer.Response {
        let user: UserContext
        let event: JSONValue?
        do throws(JSONError) {
            user = UserContext(client: client, user: try User(parsing: body))
            event = try JSONValue(parsing: body)["event"]
        } catch { return .error(400, "\(error)") }
        let decisions = await user.decide(["checkout_redesign", "free_shipping"], within: Self.limit)
        let steps = decisions["checkout_redesign"]?.variables.integer("steps") ?? 3
        let shipping = decisions["free_shipping"]
        let offer = shipping?.isEnabled == true ? shipping?.variables.string("label") : nil
        var response: [String: JSONValue] = [
            "user": .string(user.id), "checkoutSteps": .integer(Int64(steps)),
            "shippingOffer": offer.map(JSONValue.string) ?? .null,
        ]
        // The user gets the decisions even if the event is lost; `/metrics` counts lost events.
        if case .string(let key)? = event, let problem = await track(key, for: user) {
            response["eventError"] = .string(problem)
        }
        return .json(response)
    }

    /// Returns why the event was not recorded, or nil.
    private func track(_ event: String, for user: UserContext) async -> String? {
        do throws(TrackError) { try await user.track(event, within: Self.limit) } catch {
            // Such an event is queued, so the client must not send it again.
            return error == .notDurable ? nil : "\(error)"
        }
        return nil
    }
}

extension HTTPServer.Response {
    /// A JSON object, whose members are sorted.
    static func json(_ members: [String: JSONValue], status: Int = 200) -> Self {
        var json = JSONWriter()
        json.value(.object(members))
        json.newline()
        return Self(status: status, body: json.bytes)
    }

    static func text(_ text: String, _ type: String = "text/plain; charset=utf-8") -> Self {
        Self(headers: ["Content-Type": type], body: Array(text.utf8))
    }

    static func error(_ status: Int, _ problem: String) -> Self { json(["error": .string(problem)], status: status) }

    static func notAllowed(except methods: String) -> Self {
        var response = error(405, "only \(methods)")
        response.headers["Allow"] = methods
        return response
    }
}
