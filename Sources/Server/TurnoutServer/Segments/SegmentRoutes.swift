import TurnoutClient
import TurnoutEngine

/// The routes of the data platform: what SDKs request at the address that the datafile names.
struct SegmentRoutes: Sendable {
    private let platform: SegmentPlatform
    private let wallClock: any WallClock

    init(_ platform: SegmentPlatform, wallClock: any WallClock) {
        self.platform = platform
        self.wallClock = wallClock
    }

    /// The routes. Events are an intake: SDKs drop those that are refused.
    var all: [Route] {
        [
            Route("POST", "/v3/graphql", "the segments of a user", bodyLimit: .query) { segments($0) },
            Route("POST", "/v3/events", "receives events of the data platform", access: .intake) { events($0) },
        ]
    }

    // MARK: Segments

    private func segments(_ request: ServerRequest) -> Answer {
        guard platform.project(of: request.head.headers["x-api-key"]) != nil else {
            platform.counters.count(.refused)
            return .now(Self.forbidden)
        }
        let query: SegmentQuery
        do { query = try SegmentQuery(body: request.body) } catch {
            platform.counters.count(.invalid)
            guard let error = error as? SegmentQueryError else { return .now(.error(400, "the body is not JSON")) }
            return .now(Self.response(error))
        }
        return .later { await answer(query) }
    }

    private func answer(_ query: SegmentQuery) async -> ServerResponse {
        do {
            let membership = try await BlockingCall.result { [platform] in
                try platform.membership(of: query.id, among: query.subset)
            }
            platform.counters.count(membership == nil ? .unknown : .answered)
            if membership == nil, platform.options.unknownUsers == .error {
                return Self.response(.identifier("nothing is known of the user"))
            }
            return Self.response(query, membership?.segments ?? [])
        } catch {
            platform.counters.count(.failed)
            return .error(503, error is EngineError ? EngineError.advice : "the segments cannot be read")
        }
    }

    private static func response(_ query: SegmentQuery, _ segments: Set<ByteKey>) -> ServerResponse {
        let edges = (query.subset ?? segments.map(\.text).sorted()).map { name in
            let state = segments.contains(ByteKey(name)) ? "qualified" : "not_qualified"
            return JSONValue.object(["node": .object(["name": .string(name), "state": .string(state)])])
        }
        return response(
            .object(["data": .object(["customer": .object(["audiences": .object(["edges": .array(edges)])])])]))
    }

    private static func response(_ error: SegmentQueryError) -> ServerResponse {
        var extensions: [String: JSONValue] = ["classification": .string(error.classification)]
        extensions["code"] = error.code.map(JSONValue.string)
        let entry: [String: JSONValue] = [
            "message": .string(error.message), "path": .array([.string("customer")]),
            "extensions": .object(extensions),
        ]
        return response(
            .object(["errors": .array([.object(entry)]), "data": .object(["customer": .null])]))
    }

    private static func response(_ value: JSONValue) -> ServerResponse {
        .json(200, Array(value.compactText.utf8))
    }

    static let forbidden = ServerResponse.error(403, "unknown x-api-key: no served datafile names it as its public key")

    // MARK: Events

    private func events(_ request: ServerRequest) -> Answer {
        guard let projectID = platform.project(of: request.head.headers["x-api-key"]) else {
            platform.counters.add { $0.refusedEvents += 1 }
            return .now(Self.forbidden)
        }
        let events: PlatformEvents
        do throws(PlatformEvents.Refusal) { events = try PlatformEvents(body: request.body) } catch {
            platform.counters.add { $0.refusedEvents += 1 }
            return .now(response(error))
        }
        return .later {
            do {
                try await platform.receive(events, projectID: projectID)
                return response(202, "Accepted")
            } catch {
                var refusal = response(503, "Service Unavailable")
                // SDKs of the data platform send these events again.
                refusal.headers["Retry-After"] = "30"
                return refusal
            }
        }
    }

    private func response(_ refusal: PlatformEvents.Refusal) -> ServerResponse {
        switch refusal {
        case .body(let message): return response(400, "Bad Request", ["detail": .string(message)])
        case .events(let invalid):
            let invalids = invalid.map { event in
                JSONValue.object(["event": .integer(Int64(event.index)), "message": .string(event.message)])
            }
            return response(400, "Bad Request", ["detail": .object(["invalids": .array(invalids)])])
        }
    }

    private func response(_ status: Int, _ title: String, _ more: [String: JSONValue] = [:]) -> ServerResponse {
        let members: [String: JSONValue] = [
            "title": .string(title), "status": .integer(Int64(status)),
            "timestamp": .string(Timestamp.text(wallClock.millisecondsSince1970())),
        ]
        return .json(status, Array(JSONValue.object(members.merging(more) { $1 }).compactText.utf8))
    }
}
