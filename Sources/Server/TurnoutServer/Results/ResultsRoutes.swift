import TurnoutClient
import TurnoutReports

/// `GET /results` lists the experiments with their verdicts; `GET /results/{experiment}` has everything about one.
struct ResultsRoutes: Sendable {
    private let service: ResultsService
    private let messages: any Log
    /// Requests that wait for a computation each block a thread.
    private static let maximumWaiting = 16

    init(_ service: ResultsService, messages: any Log) { (self.service, self.messages) = (service, messages) }

    var all: [Route] {
        [
            Route("GET", "/results", "the verdicts of all experiments", access: .management(.read)) { request in
                .later { await answer(request) { try list() } }
            },
            Route(
                "GET", "/results/{experiment}", "the results of an experiment, by its key or id",
                access: .management(.read)
            ) { request in
                .later { await answer(request) { try one(request) } }
            },
        ]
    }

    private func answer(
        _ request: ServerRequest, _ body: @escaping @Sendable () throws -> ServerResponse
    ) async -> ServerResponse {
        let isFull = service.waiting.withLock { waiting in
            waiting += 1
            return waiting > Self.maximumWaiting
        }
        defer { service.waiting.withLock { $0 -= 1 } }
        guard !isFull else {
            var response = ServerResponse.error(503, "results are being computed for others; ask again in a moment")
            response.headers["Retry-After"] = "5"
            return response
        }
        do {
            var response = try await BlockingCall.result { try body() }
            guard response.status == 200, case .bytes(let bytes) = response.body else { return response }
            let tag = bytes.withUnsafeBytes { EntityTag.of($0) }
            response.headers["ETag"] = tag
            guard EntityTag.isNamed(tag, in: request.head) else { return response }
            return ServerResponse(304, headers: ["ETag": tag])
        } catch is CancellationError {
            return .error(503, "the server is stopping")
        } catch let error as ResultError {
            return .error(503, "\(error)")
        } catch {
            messages.failure(.error, "results: the events cannot be read", error)
            let words = "the events cannot be read; the server's log says why"
            return .error(503, error is EngineError ? EngineError.advice : words)
        }
    }

    private func list() throws -> ServerResponse {
        .json(200, try service.summaries().json)
    }

    private func one(_ request: ServerRequest) throws -> ServerResponse {
        let experiment: RecordedExperiment
        switch try service.experiments().named(request.parameters[0], in: request.head.query["environment"]) {
        case .success(let found): experiment = found
        case .failure(let problem): return .error(problem.isAmbiguous ? 409 : 404, problem.description)
        }
        switch request.head.query["format"] ?? "json" {
        case "json":
            let results = try service.results(of: experiment)
            var response = ServerResponse.json(200, results.json)
            response.headers["Last-Modified"] = results.computed.map { HTTPDate.text($0 / 1_000) }
            return response
        case "csv":
            let csv = try service.distribution(of: experiment).csv(of: experiment)
            return ServerResponse(
                200, headers: ["Content-Type": "text/csv; charset=utf-8"], body: .bytes(Array(csv.utf8)))
        case "html":
            let page = try service.results(of: experiment).report().html(title: experiment.key)
            return ServerResponse(
                200, headers: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(Array(page.utf8)))
        case let other: return .error(400, "unknown format \"\(other)\": json, html and csv are known")
        }
    }
}

/// Why no experiment has a name.
package struct ExperimentNameProblem: Error, CustomStringConvertible {
    package let description: String
    let isAmbiguous: Bool
}

extension [RecordedExperiment] {
    /// The experiment with a key, `flag/key` or an id, perhaps in an environment.
    package func named(_ name: String, in environment: String?) -> Result<RecordedExperiment, ExperimentNameProblem> {
        let named = filter { each in
            each.id == name || each.key == name || each.flag.map { "\($0)/\(each.key)" } == name
        }
        let all = named.filter { environment == nil || $0.environment == environment }
        // A rule that was made again has another id: the latest of each environment.
        let found = Dictionary(grouping: all, by: \.environment).sorted { $0.key < $1.key }.compactMap {
            _, experiments in
            experiments.max { ($0.periods.last?.since ?? 0, $0.id) < ($1.periods.last?.since ?? 0, $1.id) }
        }
        if found.count == 1 { return .success(found[0]) }
        guard found.isEmpty else {
            let names = Set(found.map(\.environment)).sorted()
            return .failure(
                .init(
                    description: "several experiments are called \(name), in \(names.joined(separator: ", ")): choose "
                        + "an environment, or name one by its id: \(found.map(\.id).joined(separator: ", "))",
                    isAmbiguous: true))
        }
        let keys = map(\.key).prefix(10).joined(separator: ", ")
        let place = environment.map { " in the environment \($0)" } ?? ""
        let known = isEmpty ? "no datafile with an experiment was served here" : "known are \(keys)"
        return .failure(.init(description: "no experiment is called \(name)\(place); \(known)", isAmbiguous: false))
    }
}
