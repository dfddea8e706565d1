import TurnoutClient
import TurnoutEngine

/// Options of OpenFeature's remote evaluation protocol.
package struct OFREPOptions: Sendable, Equatable {
    /// Whether evaluations send impressions, as decisions do. A request with the header `X-Turnout-Impressions: off`
    /// sends none. Default: true.
    package var sendsImpressions = true

    package init() {}
}

/// OpenFeature's remote evaluation protocol, version 0.3.
struct OFREPRoutes: Sendable {
    /// The header that switches off impressions for a request.
    private static let impressionsHeader = "X-Turnout-Impressions"

    let clients: DecisionClients
    /// A key with access tokens decides only for requests with one: its decisions tell what its datafile does, as in
    /// the Agent's interface.
    let datafileTokens: DatafileTokens
    /// The tokens that the Agent's interface requires, which are required here, too.
    let agentTokens: AgentTokens
    /// The streams of changes; nil for none. Their addresses are secrets, so they need no token: clients that read them
    /// cannot add headers.
    let changes: FlagChangeStreams?
    let options: OFREPOptions

    var routes: [Route] {
        var routes = [
            Route(
                "POST", "/ofrep/v1/evaluate/flags", "evaluates all flags, over OFREP", bodyLimit: .evaluation,
                respond: evaluateAll),
            Route(
                "POST", "/ofrep/v1/evaluate/flags/{key…}", "evaluates a flag, over OFREP", bodyLimit: .evaluation,
                respond: evaluate),
            Route("GET", "/ofrep/v1/configuration", "tells what the server can do, over OFREP 0.2") {
                .now(configuration($0))
            },
        ]
        if let changes {
            routes.append(
                Route("GET", FlagChangeStreams.path + "{sdkKey…}", "tells when flags may have changed, over OFREP") {
                    let key = ClientKey($0.parameters[0])
                    let head = $0.head
                    guard allows(key, head) else { return .now(Self.forbidden) }
                    return clients.loading(key.sdkKey) { .now($0?.response ?? changes.open(key.sdkKey, head)) }
                })
        }
        return routes
    }

    // MARK: One flag

    private func evaluate(_ request: ServerRequest) -> Answer {
        let key = request.parameters[0]
        return answer(request, flagKey: key) { evaluate(key, request, $0) }
    }

    private func evaluate(_ key: String, _ request: ServerRequest, _ client: DecisionClient) -> Answer {
        do throws(EvaluationFailure) {
            let user = try EvaluationContext.user(request.body)
            guard let address = FlagAddress(key, in: client.served.project) else {
                throw EvaluationFailure(.flagNotFound, "there is no flag or variable \"\(key)\"")
            }
            return client.answer(.one(address.flagKey), for: user, options: decideOptions(request.head)) {
                Self.response($0[0], key, address)
            }
        } catch {
            return .now(Self.response(error, key: key))
        }
    }

    private static func response(_ decision: Decision, _ key: String, _ address: FlagAddress) -> ServerResponse {
        if decision.isError { return response(failure(of: decision), key: key) }
        var writer = EvaluationWriter()
        writer.evaluation(key, decision, address.value)
        return .json(200, writer.writer.bytes)
    }

    private static func failure(of decision: Decision) -> EvaluationFailure {
        switch decision.stage {
        case .flagNotFound: EvaluationFailure(.flagNotFound, "there is no flag \"\(decision.flagKey)\"")
        default: EvaluationFailure(.general, "a prediction that the decision needs is not available")
        }
    }

    private static func response(_ failure: EvaluationFailure, key: String?) -> ServerResponse {
        var writer = EvaluationWriter()
        writer.failure(failure, key: key)
        return .json(failure.code == .flagNotFound ? 404 : 400, writer.writer.bytes)
    }

    // MARK: All flags

    private func evaluateAll(_ request: ServerRequest) -> Answer {
        answer(request, flagKey: nil) { evaluateAll(request, $0) }
    }

    private func evaluateAll(_ request: ServerRequest, _ client: DecisionClient) -> Answer {
        let user: User
        do throws(EvaluationFailure) { user = try EvaluationContext.user(request.body) } catch {
            return .now(Self.response(error, key: nil))
        }
        return client.answer(.all, for: user, options: decideOptions(request.head)) { decisions in
            let result = response(decisions, client, request.head)
            return Self.unchanged(result, request.head) ?? result
        }
    }

    /// The response for decisions. Its entity tag covers everything in it: the results for this user, and the revision
    /// of the datafile. A client sends it again with the same context.
    private func response(_ decisions: [Decision], _ client: DecisionClient, _ head: RequestHead) -> ServerResponse {
        // The address of the stream is a secret of the client, which can add no headers to it.
        let token = datafileTokens.isProtected(client.sdkKey) ? head.clientKey?.accessToken ?? head.bearerToken : nil
        let streamKey = client.sdkKey + (token.map { ":" + $0 } ?? "")
        var writer = EvaluationWriter()
        writer.with { $0.beginObject() }
        writer.evaluations(decisions, client.evaluationTexts)
        if changes != nil { writer.with { Self.writeStream(streamKey, to: &$0) } }
        writer.with { writer in
            let revision = decisions.first?.revision ?? client.served.project.revision
            writer.object("metadata") { $0.member("revision", revision) }
            writer.endObject()
        }
        let bytes = writer.writer.bytes
        var response = ServerResponse.json(200, bytes)
        response.headers.append("ETag", bytes.withUnsafeBytes { EntityTag.of($0) })
        return response
    }

    private static func unchanged(_ result: ServerResponse, _ head: RequestHead) -> ServerResponse? {
        guard let tag = result.headers["ETag"], EntityTag.isNamed(tag, in: head) else { return nil }
        return ServerResponse(304, headers: ["ETag": tag])
    }

    /// Writes where changes are announced: a path relative to the client's own base, so that the server need not know
    /// its public name.
    private static func writeStream(_ key: String, to writer: inout JSONWriter) {
        writer.objects("eventStreams", [key]) { writer, key in
            writer.member("type", "sse")
            writer.object("endpoint") { $0.member("requestUri", FlagChangeStreams.path + key.percentEncoded) }
        }
    }

    // MARK: Requests

    /// Answers with the client of the request's key, or refuses the request. Clients stop for good after 403, and ask
    /// again after 503.
    private func answer(
        _ request: ServerRequest, flagKey: String?, _ respond: @escaping @Sendable (DecisionClient) -> Answer
    ) -> Answer {
        guard let key = request.head.clientKey else {
            return .now(.error(401, "an SDK key is required: in X-API-Key, or in the address: /p/KEY/ofrep"))
        }
        guard allows(key, request.head) else { return .now(Self.forbidden) }
        return clients.loading(key.sdkKey) { absence in
            guard let client = clients[key.sdkKey] else {
                return .now(absence.map { Self.response($0, flagKey) } ?? Self.forbidden)
            }
            let text = key.sdkKey + (key.accessToken.map { ":" + $0 } ?? "")
            if let response = agentTokens.refusal(of: request.head, for: text) { return .now(response) }
            return respond(client)
        }
    }

    private static func response(_ absence: DatafileAbsence, _ flagKey: String?) -> ServerResponse {
        var response = absence.response
        guard response.status == 503 else { return response }
        var writer = EvaluationWriter()
        writer.failure(EvaluationFailure(.general, "the flags cannot be loaded now"), key: flagKey)
        response.body = .bytes(writer.writer.bytes)
        return response
    }

    /// Whether a request may use a key: the token is in the key, `KEY:TOKEN`, or in `Authorization: Bearer`.
    private func allows(_ key: ClientKey, _ head: RequestHead) -> Bool {
        datafileTokens.allow(key.sdkKey, token: key.accessToken ?? head.bearerToken)
    }

    /// Does not tell whether the key exists.
    private static let forbidden = DatafileAbsence.unknownKey.response

    private func decideOptions(_ head: RequestHead) -> DecideOptions {
        let isOff = head.headers[Self.impressionsHeader].map { $0 == "off" } ?? false
        return options.sendsImpressions && !isOff ? [] : .disableDecisionEvent
    }

    private func configuration(_ request: ServerRequest) -> ServerResponse {
        let interval = Int(ClientConfiguration().minimumPollingInterval / .milliseconds(1))
        let text =
            #"{"name":"turnout","capabilities":{"cacheInvalidation":{"polling":{"enabled":true,"#
            + #""minPollingIntervalMs":\#(interval)}},"flagEvaluation":{"supportedTypes":["int","float","string","#
            + #""boolean","object"]},"caching":{"enabled":true,"ttl":0}}}"#
        let bytes = Array(text.utf8)
        let tag = bytes.withUnsafeBytes { EntityTag.of($0) }
        if EntityTag.isNamed(tag, in: request.head) { return ServerResponse(304, headers: ["ETag": tag]) }
        var response = ServerResponse.json(200, bytes)
        response.headers["ETag"] = tag
        return response
    }
}
