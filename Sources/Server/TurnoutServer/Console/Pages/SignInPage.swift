import TurnoutClient
import TurnoutReports

/// The page on which people sign in with a management token.
///
/// A form that was sent after its session had ended is kept: it is shown again, to be sent with one more click.
struct SignInPage: Sendable {
    static let path = Console.path + "sign-in"

    /// Why an attempt to sign in failed.
    enum Refusal: String {
        case otherSite = "The form came from another site. Sign in here."
        case unknownToken = "The token is not one of this server's. `turnout token new` makes one."
        case tooMany = "Too many attempts. Wait a minute, and try again."
        case unprotected =
            "The token would be readable on its way here. Open this page over https, or on the server's own machine."
    }

    /// The page to show afterwards.
    let next: String
    /// The form to send afterwards, as it was encoded.
    let kept: String?

    /// - Parameter next: The page to show afterwards, if it is one of the console's. Default: the first one.
    init(then next: String?) {
        let isPage = next.map { $0.hasPrefix(Console.path) && $0.utf8.allSatisfy { 0x21...0x7E ~= $0 } } ?? false
        self.next = isPage ? next ?? Console.path : Console.path
        kept = nil
    }

    /// The page in place of one that needs a session.
    init(for request: ServerRequest, _ form: QueryParameters) {
        let query = request.head.query.parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        next = request.head.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        // What another site sent is not kept: it would be sent again with the person's rights.
        let isOurs = request.head.method == "POST" && ConsoleGate.isOfOurPage(request.head)
        kept = isOurs && request.body.count <= 64 << 10 ? String(decoding: request.body, as: UTF8.self) : nil
    }

    /// The page after an attempt.
    init(again form: QueryParameters) {
        next = SignInPage(then: form["then"]).next
        kept = form["kept"]
    }

    var page: ConsolePage { page(401, []) }

    func refused(_ status: Int, _ refusal: Refusal) -> ConsolePage {
        page(status, [.element("p", ["class": "problem", "role": "alert"], HTML(words: refusal.rawValue))])
    }

    private func page(_ status: Int, _ problem: [HTML]) -> ConsolePage {
        let notice =
            kept == nil
            ? "" : HTML.paragraph("Your session has ended. What you typed is kept: sign in, and send it again.")
        let input = HTML.element(
            "input",
            [
                "type": "password", "name": "token", "required": "", "autocomplete": "current-password",
                "autofocus": "",
            ])
        // Browsers keep passwords with a name.
        let name = HTML.element("input", ["type": "text", "autocomplete": "username", "hidden": ""])
        let fields: [HTML] = [
            name, .hidden("then", next), kept.map { .hidden("kept", $0) } ?? "",
            .field("Management token", note: "`turnout token new --scope read` makes one.", input),
            .button("Sign in"),
        ]
        let form = HTML.element("form", ["method": "post", "action": Self.path, "class": "panel"], HTML(fields))
        return ConsolePage("Sign in", in: nil, status: status, problem + [notice, form])
    }

    /// The page that sends the kept form, now as a form of the new session.
    func continuation(of visitor: ConsoleVisitor) -> ConsolePage {
        // Without the step, a change is shown again before it is made.
        let form = QueryParameters(parsing: kept ?? "")
        let fields = form.parameters.filter { ![ConsolePage.formTokenName, "step"].contains($0.name) }
            .map { HTML.hidden($0.name, $0.value) }
        return ConsolePage(
            "Signed in", in: nil,
            [
                .paragraph("Nothing has been sent yet. Continue where you were:"),
                .form(to: next, of: visitor, fields + [.button("Continue")]),
            ] + ChangePage.typed(form))
    }
}
