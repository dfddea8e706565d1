import TurnoutClient

/// Responds to requests with one client on any number of threads.
struct Service: Sendable {
    let client: FlagClient
    private let summary = Summary()

    init(_ configuration: ClientConfiguration) {
        client = FlagClient(configuration)
        client.addListener { [summary] in summary.add($0) }
    }

    /// Responds to requests concurrently, and returns after the last response.
    func respond(to requests: AsyncStream<String>, _ reply: @escaping @Sendable (String) -> Void) async {
        await withDiscardingTaskGroup { group in
            for await request in requests { group.addTask { reply(await respond(to: request)) } }
        }
    }

    private func respond(to request: String) async -> String {
        switch request {
        case "refresh": return await refresh()
        case "ready": return client.isReady ? "ready" : "not ready"
        case "status": return "\(client.status)"
        case "metrics": return client.metrics.prometheus()
        default: break
        }
        do throws(JSONError) { return try decide(Array(request.utf8)) } catch { return "not a request: \(error)" }
    }

    /// Decides for a user, `{"user": "ada", "attributes": {…}}`, and tracks the request's `"event"`, if any.
    private func decide(_ request: [UInt8]) throws(JSONError) -> String {
        let user = UserContext(client: client, user: try User(parsing: request))
        let checkout = user.decide("checkout_redesign")
        let shipping = user.decide("free_shipping")
        if case .string(let event)? = try JSONValue(parsing: request)["event"] {
            do throws(TrackError) { try user.track(event) } catch { return "not a request: \(error)" }
        }
        let steps = checkout.variables.integer("steps") ?? 3
        let offer = shipping.isEnabled ? shipping.variables.string("label") ?? "" : "no offer"
        return "\(user.id): checkout in \(steps) steps, \(offer)"
    }

    /// Requests a newer datafile.
    func refresh() async -> String {
        do throws(StartError) {
            return try await client.refresh() ? "a newer datafile" : "nothing new"
        } catch {
            return "\(error)"
        }
    }

    /// Stops polling, waits for the listener, and delivers events if there is a transport.
    func close() async { await client.close() }

    /// The summary so far.
    var report: String {
        summary.text + "events waiting: \(client.status.events.waiting), lost: \(client.lostEvents.total)\n"
    }
}
