import TurnoutClient
import TurnoutReports

/// The pages of the server for people: which flags are on, for whom, and whether an experiment worked.
///
/// A page is HTML that is made from values. It needs no script, and loads nothing from other servers. Who may see it
/// is decided by ``ConsoleGate``; what is on it, by the files in `Pages`.
final class Console: Sendable {
    static let path = RouteTable.console
    /// Pages of a part of the menu beyond it are refused, so that making them takes neither all threads nor memory, and
    /// slow pages leave others alone.
    private static let maximumPages = 8

    private let gate: ConsoleGate
    private let pages: ConsolePages
    private let messages: any Log
    private let pagesInProgress = Dictionary(
        uniqueKeysWithValues: ConsolePage.Part.allCases.map { ($0, CallCount()) })
    private let signInsInProgress = CallCount()

    init(_ gate: ConsoleGate, _ pages: ConsolePages, messages: any Log) {
        (self.gate, self.pages, self.messages) = (gate, pages, messages)
    }

    var routes: [Route] {
        [
            Route("GET", "/console", "leads to the console", access: .open) { _ in .now(.redirection(to: Self.path)) },
            Route("GET", Self.path + "assets/{name}", "a file that pages load", access: .open) { request in
                .now(ConsoleAsset.response(named: request.parameters[0]))
            },
            Route("GET", SignInPage.path, "asks for a token", access: .open) { [self] request in
                .now(response(SignInPage(then: request.head.query["then"]).page, for: nil))
            },
            Route("POST", SignInPage.path, "signs in with a token", bodyLimit: .evaluation, access: .open) {
                [self] request in
                .blocking { [self] in signIn(request) }
            },
            Route("POST", Self.path + "sign-out", "ends a session", bodyLimit: .credentials, access: .open) {
                [self] request in
                .now(signOut(request))
            },
            Route(
                "POST", LivePage.streamPath, "sends events as they arrive", bodyLimit: .credentials, access: .open
            ) { [self] request in
                .blocking { [self] in stream(request) }
            },
        ] + pages.all.map(route)
    }

    // MARK: Pages

    /// The route of a page. Making one may read files and blocks, so decisions never wait for it.
    private func route(_ page: ConsolePages.Page) -> Route {
        Route(
            page.method, page.path, page.summary, bodyLimit: page.method == "POST" ? .evaluation : .none, access: .open
        ) { [self] request in
            .blocking { [self] in answer(request, page) }
        }
    }

    private func answer(_ request: ServerRequest, _ page: ConsolePages.Page) -> ServerResponse {
        let count = pagesInProgress[page.part]
        guard count?.enter(limit: Self.maximumPages) != false else { return busy(in: page.part, request) }
        defer { count?.leave() }
        let form = QueryParameters(parsing: String(decoding: request.body, as: UTF8.self))
        guard let visitor = gate.visitor(of: request.head) else {
            return response(SignInPage(for: request, form).page, for: nil)
        }
        let typed = visitor.scopes.contains(page.scope) ? ChangePage.typed(form) : []
        if let refusal = refusal(of: request, form, visitor, page) {
            let content = ConsolePage(
                refusal.title, in: refusal.part, status: refusal.status, [refusal.content] + typed)
            return response(content, for: visitor)
        }
        let request = ConsoleRequest(
            visitor: visitor, head: request.head, parameters: request.parameters, form: form)
        do {
            let content = try page.content(request)
            return content.file ?? response(content, for: visitor)
        } catch {
            messages.failure(.error, "console: \(page.path) cannot be shown", error)
            let words = error is EngineError ? EngineError.advice.asSentence : nil
            let advice = HTML.paragraph(HTML(words ?? "The server's log says why. Try again in a moment."))
            return response(
                ConsolePage("Cannot be shown now", in: page.part, status: 503, [advice] + typed), for: visitor)
        }
    }

    private func busy(in part: ConsolePage.Part?, _ request: ServerRequest) -> ServerResponse {
        let advice: HTML = "Others are reading, too. Go back, where what you typed still is, and try again in a moment."
        return response(.problem(503, "Too many pages at once", in: part, advice), for: gate.visitor(of: request.head))
    }

    /// Why a person does not get a page; nil if they do.
    private func refusal(
        of request: ServerRequest, _ form: QueryParameters, _ visitor: ConsoleVisitor, _ page: ConsolePages.Page
    ) -> ConsolePage? {
        let scope = page.scope.rawValue
        guard visitor.scopes.contains(page.scope) else {
            return .problem(
                403, "Not with this token", in: page.part,
                "This page needs the scope `\(scope)`. Sign in with another token: "
                    + "`turnout token new --scope \(scope)` makes one. Without tokens, "
                    + "`--set access.local_management=true` gives this machine all scopes.")
        }
        guard page.method == "GET" || ConsoleGate.isOfOurPage(request.head) && gate.isValid(form, of: visitor) else {
            return .problem(
                403, "Nothing was done", in: page.part,
                "The form does not come from a page of this session. Open the page again, and send it there.")
        }
        return nil
    }

    /// A stream for a script of the page Live, which ends when the person may not see events any more.
    private func stream(_ request: ServerRequest) -> ServerResponse {
        let (head, form) = (request.head, QueryParameters(parsing: String(decoding: request.body, as: UTF8.self)))
        guard let visitor = gate.visitor(of: head), visitor.scopes.contains(.events), ConsoleGate.isOfOurPage(head),
            gate.isValid(form, of: visitor)
        else { return .error(403, "this stream is for the page \(LivePage.path): sign in, and open it again") }
        let filter = RecentEventFilter(flag: form["flag"], event: form["event"], user: form["user"])
        return pages.live.stream(filter) { [gate] in gate.visitor(of: head)?.scopes.contains(.events) == true }
    }

    private func response(_ page: ConsolePage, for visitor: ConsoleVisitor?) -> ServerResponse {
        ServerResponse(
            page.status,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": Self.policy,
                "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
                "Cache-Control": "no-store",
            ], body: .bytes(Array(page.html(for: visitor).utf8)))
    }

    /// What a page may load and do: nothing that is not this server's.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    // MARK: Sessions

    private func signIn(_ request: ServerRequest) -> ServerResponse {
        guard signInsInProgress.enter(limit: Self.maximumPages) else { return busy(in: nil, request) }
        defer { signInsInProgress.leave() }
        let form = QueryParameters(parsing: String(decoding: request.body, as: UTF8.self))
        let page = SignInPage(again: form)
        guard ConsoleGate.isOfOurPage(request.head) else { return response(page.refused(403, .otherSite), for: nil) }
        switch gate.signIn(with: form["token"] ?? "", request.head) {
        case .unknownToken: return response(page.refused(401, .unknownToken), for: nil)
        case .tooMany: return response(page.refused(429, .tooMany), for: nil)
        case .unprotected: return response(page.refused(403, .unprotected), for: nil)
        case .done(let cookie):
            var response = ServerResponse.redirection(to: page.next)
            if page.kept != nil, let visitor = gate.visitor(signedInBy: cookie, request.head) {
                response = self.response(page.continuation(of: visitor), for: visitor)
            }
            response.headers.append("Set-Cookie", cookie)
            return response
        }
    }

    private func signOut(_ request: ServerRequest) -> ServerResponse {
        var response = ServerResponse.redirection(to: SignInPage.path)
        guard ConsoleGate.isOfOurPage(request.head) else { return response }
        response.headers.append("Set-Cookie", gate.signOut(request.head))
        return response
    }
}
