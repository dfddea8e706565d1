import TurnoutClient
import TurnoutEngine
import TurnoutFlags

/// What pages show about flags, for programs: `GET /flags`, `GET /flags/{key}` and `POST /explain`.
struct FlagRoutes: Sendable {
    let source: ConsoleFlagSource
    let clients: DecisionClients
    let platform: SegmentPlatform

    var all: [Route] {
        [
            Route("GET", "/flags", "the flags of all environments", access: .management(.read)) { _ in
                .blocking {
                    let flags = source.flags
                    return Self.json { writer in
                        writer.member("file", flags.file)
                        writer.member("environments", flags.environments.map(\.name))
                        writer.member("problems", flags.problems)
                        writer.objects("findings", flags.findings) { $0.finding($1) }
                        writer.objects("flags", flags.flags) { $0.flag($1, in: flags) }
                    }
                }
            },
            Route("GET", "/flags/{key}", "a flag in all environments", access: .management(.read)) { request in
                .blocking {
                    let flags = source.flags
                    guard let flag = flags[request.parameters[0]] else {
                        return .error(404, "no flag is called \(request.parameters[0])")
                    }
                    return Self.json { $0.flag(flag, in: flags) }
                }
            },
            Route("POST", "/explain", "why a user gets what", access: .management(.events)) { request in
                .blocking { explanation(request) }
            },
        ]
    }

    private static func json(_ body: (inout JSONWriter) -> Void) -> ServerResponse {
        var writer = JSONWriter()
        writer.object(body)
        writer.newline()
        var response = ServerResponse.json(200, writer.bytes)
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    private func explanation(_ request: ServerRequest) -> ServerResponse {
        let (user, document): (User, JSONValue)
        do throws(JSONError) {
            (user, document) = (try User(parsing: request.body), try JSONValue(parsing: request.body))
        } catch {
            return .error(400, "expected an object with \"user\", and perhaps \"attributes\": \(error)")
        }
        guard let environment = source.flags.environment(named: document.string("environment")),
            let served = environment.served, let client = clients[served.sdkKey]
        else { return .error(404, "no datafile is served for the environment") }
        let keys = document.string("flag").map { [$0] } ?? served.project.flags.map(\.key)
        let explanation = DecisionExplanation(of: keys, for: user, by: client, platform)
        return Self.json { writer in
            writer.member("environment", environment.name)
            writer.member("segments", explanation.user.segments.sorted())
            writer.object("assignments") { writer in
                for (experiment, variation) in explanation.assignments { writer.member(experiment, variation) }
            }
            writer.member("problems", explanation.problems)
            writer.list("decisions", explanation.traces) { $0.trace($1) }
        }
    }
}

extension JSONValue {
    /// The string of a member; nil if there is none.
    fileprivate func string(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }
}

extension JSONWriter {
    fileprivate mutating func flag(_ flag: ConsoleFlags.Flag, in flags: ConsoleFlags) {
        member("key", flag.key)
        object("environments") { writer in
            for (environment, side) in zip(flags.environments, flag.sides) {
                guard let side else { continue }
                let state = FlagState(side)
                writer.object(environment.name) { writer in
                    writer.member("state", state.kind.rawValue)
                    writer.member("traffic", Double(state.traffic.buckets) / Double(Bucketing.bucketCount))
                    writer.key("authored")
                    writer.raw(ProjectWriter.flag(side, environments: []).json)
                }
            }
        }
        objects("findings", flag.findings) { $0.finding($1) }
    }

    fileprivate mutating func finding(_ finding: Diagnostic) {
        member("severity", finding.severity.rawValue)
        member("code", finding.code)
        member("message", finding.message)
        if let line = finding.position?.line { member("line", line) }
        member("advice", finding.advice)
    }
}
