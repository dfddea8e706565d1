import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// Changes of the project file over HTTP, for programs.
struct ChangeRoutes: Sendable {
    let editing: FlagEditing?
    let log: ChangeLog
    let access: AccessControl
    /// The users of the last seven days.
    let seenUsers: @Sendable () throws -> [User]
    let messages: any Log

    var all: [Route] {
        [
            Route("POST", "/flags/proposals", "what a change would mean", access: .management(.flags)) { request in
                answer { try propose(request, writes: false) }
            },
            Route("POST", "/flags/changes", "changes the project file", access: .management(.flags)) { request in
                answer { try propose(request, writes: true) }
            },
            Route("GET", "/changes", "who changed what, and why", access: .management(.read)) { request in
                answer { try changes(withAddresses: scopes(of: request.head).contains(.users)) }
            },
            Route("GET", "/users/seen", "the users of the last seven days", access: .management(.events)) { _ in
                answer { try users() }
            },
        ]
    }

    private func answer(_ body: @escaping @Sendable () throws -> ServerResponse) -> Answer {
        .blocking {
            do { return try body() } catch let problem as FlagsFileProblem {
                return .error(problem.isConflict ? 409 : 422, problem.description)
            } catch {
                messages.failure(.error, "flags: a request failed", error)
                return .error(503, "the server cannot do that now; its log says why")
            }
        }
    }

    private func propose(_ request: ServerRequest, writes: Bool) throws -> ServerResponse {
        guard let editing, editing.mode != .off else {
            return .error(404, "this server changes no project file; it needs --flags FILE, and console.editing")
        }
        guard !writes || editing.mode == .file else {
            return .error(
                403, "this server does not write \(editing.file.name): apply the patch, or set console.editing to file")
        }
        let body = try? JSONValue(parsing: request.body)
        guard let body, let environment = body["environment"]?.string, let edits = Self.edits(body) else {
            return .error(
                400, "expected an object with \"environment\", and at most 1,000 \"edits\" with \"path\" and \"set\"")
        }
        let name = request.head.bearerToken.flatMap(access.token)?.name
        let author = FlagEditing.Author(name, scopes(of: request.head), request.head)
        let tag = body["tag"]?.string
        if writes, let tag, try editing.read().tag != tag { throw Self.conflict(editing) }
        let proposal = try editing.proposal(edits, in: environment, for: author)
        return writes ? try write(proposal, editing, body, author) : Self.json(proposal.json)
    }

    private func write(
        _ proposal: FlagEditing.Proposal, _ editing: FlagEditing, _ body: JSONValue, _ author: FlagEditing.Author
    ) throws -> ServerResponse {
        guard let tag = body["tag"]?.string, let message = body["message"]?.string?.trimmingBlanks,
            1...FlagEditing.maximumMessage ~= message.utf8.count
        else {
            return .error(
                400, "expected \"tag\", that of the proposal, and \"message\", the reason, of at most 1,000 bytes")
        }
        guard tag == proposal.first.tag else { throw Self.conflict(editing) }
        try editing.write(proposal, by: author, because: message)
        return Self.json(proposal.json)
    }

    private static func conflict(_ editing: FlagEditing) -> FlagsFileProblem {
        FlagsFileProblem("\(editing.file.name) has changed since the proposal; make another one", isConflict: true)
    }

    /// The edits of a request; nil if one is not valid.
    private static func edits(_ body: JSONValue) -> [FlagsFileEdit]? {
        guard case .array(let elements)? = body["edits"], 1...1_000 ~= elements.count else { return nil }
        let edits = elements.compactMap { element -> FlagsFileEdit? in
            guard let path = element["path"]?.string else { return nil }
            let texts = ["set", "add", "remove"].map { element[$0]?.string }
            guard texts.allSatisfy({ $0.map { $0.utf8.count <= 10_000 } ?? true }) else { return nil }
            switch (texts[0], texts[1], texts[2]) {
            case (let value?, nil, nil): return .set(path: path, value: value)
            case (nil, let added?, nil): return .add(path: path, element: added, after: element["after"]?.string)
            case (nil, nil, let removed?): return .remove(path: path, element: removed)
            default: return nil
            }
        }
        return edits.count == elements.count ? edits : nil
    }

    private func scopes(of head: RequestHead) -> Set<ManagementScope> {
        head.bearerToken.flatMap(access.token)?.scopes ?? access.scopesWithoutToken(head)
    }

    /// The log; the addresses of people are for the scope `users`.
    private func changes(withAddresses: Bool) throws -> ServerResponse {
        let records = try log.records().map { record in
            JSONValue.object(record.members.filter { withAddresses || $0.key != "address" })
        }
        return Self.json(["changes": .array(records)])
    }

    /// A file of users, as `turnout impact --users` reads it.
    private func users() throws -> ServerResponse {
        var writer = JSONWriter()
        for user in try seenUsers() {
            writer.object { json in
                json.member("user", user.id)
                json.object("attributes") { json in
                    for (name, value) in user.attributes.sorted(by: { $0.name < $1.name }) {
                        json.key(name)
                        json.goValue(value)
                    }
                }
            }
            writer.newline()
        }
        return ServerResponse(
            200, headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
            body: .bytes(writer.bytes))
    }

    private static func json(_ members: [String: JSONValue]) -> ServerResponse {
        var response = ServerResponse.json(200, Array((JSONValue.object(members).compactText + "\n").utf8))
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

extension FlagEditing.Proposal {
    fileprivate var json: [String: JSONValue] {
        let impacts = zip(environments, inEnvironments).map { environment, proposal in
            (environment, (try? JSONValue(parsing: proposal.impactJSON)) ?? .null)
        }
        return first.json.merging([
            "impact": impacts[0].1, "impacts": .object(Dictionary(impacts) { first, _ in first }),
        ]) { $1 }
    }
}

extension FlagsFileProposal {
    fileprivate var json: [String: JSONValue] {
        [
            "tag": .string(tag), "meaning": .string(meaning.text()), "patch": .string(patch),
            "findings": .array(
                findings.map { finding in
                    .object([
                        "severity": .string(finding.severity.rawValue), "code": .string(finding.code),
                        "message": .string(finding.message),
                        "line": finding.position.map { .integer(Int64($0.line)) } ?? .null,
                        "advice": finding.advice.map { .string($0) } ?? .null,
                    ])
                }),
        ]
    }
}
