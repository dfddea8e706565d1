import TurnoutClient
import TurnoutReports

/// A page: what it is called, and what is on it. ``Console`` adds the frame that all pages have.
struct ConsolePage: Sendable {
    /// The parts of the console, in the order of its menu.
    enum Part: String, Sendable, CaseIterable {
        case flags = "Flags"
        case users = "Why?"
        case experiments = "Results"
        case live = "Live"
        case changes = "Changes"
        case health = "Health"

        var path: String {
            switch self {
            case .flags: Console.path
            case .users: Console.path + "users"
            case .experiments: Console.path + "experiments"
            case .live: Console.path + "live"
            case .changes: Console.path + "changes"
            case .health: Console.path + "health"
            }
        }
    }

    /// The field that carries ``ConsoleVisitor/formToken``.
    static let formTokenName = "form_token"

    /// The heading, and the beginning of the window's title.
    let title: String
    /// The part that the menu marks; nil for pages outside of it.
    let part: Part?
    let content: HTML
    var status = 200
    /// A file to send instead of the page.
    private(set) var file: ServerResponse?

    init(_ title: String, in part: Part?, status: Int = 200, _ content: [HTML]) {
        (self.title, self.part, self.status, self.content) = (title, part, status, HTML(content))
    }

    /// A page that says what is wrong, and what to do.
    static func problem(_ status: Int, _ title: String, in part: Part? = nil, _ advice: HTML) -> ConsolePage {
        ConsolePage(title, in: part, status: status, [.paragraph(advice)])
    }

    /// A file in place of a page, with the name under which it is saved.
    static func file(_ response: ServerResponse, _ name: String) -> ConsolePage {
        var page = ConsolePage(name, in: nil, [])
        page.file = response
        page.file?.headers["Cache-Control"] = "no-store"
        page.file?.headers["Content-Disposition"] = "attachment; filename=\"\(name.percentEncoded)\""
        return page
    }

    /// The whole page, for a person; nil before they have signed in.
    func html(for visitor: ConsoleVisitor?) -> String {
        let head: [HTML] = [
            .element("meta", ["charset": "utf-8"]),
            .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .element("title", HTML("\(title) · Turnout")),
            .element("link", ["rel": "icon", "href": ConsoleAsset.icon.path]),
            .element("link", ["rel": "stylesheet", "href": ConsoleAsset.style.path]),
            .element("script", ["src": ConsoleAsset.script.path, "type": "module"], ""),
        ]
        let body: [HTML] = [
            .element("a", ["class": "skip", "href": "#content"], "Skip to the content"),
            .element("header", ["class": "frame"], menu(for: visitor)),
            .element(
                "main", ["id": "content", "tabindex": "-1"], .element("h1", .name(title, limit: 200)) + content),
        ]
        let page = HTML.element(
            "html", ["lang": "en"], .element("head", HTML(head)) + .element("body", HTML(body)))
        return "<!DOCTYPE html>\n\(page.markup)\n"
    }

    private func menu(for visitor: ConsoleVisitor?) -> HTML {
        let home = HTML.element("a", ["class": "home", "href": Console.path], "Turnout")
        guard let visitor else { return home }
        let items = Part.allCases.map { item in
            HTML.element(
                "li",
                .element(
                    "a", ["href": item.path, "aria-current": item == part ? "page" : nil], HTML(item.rawValue)))
        }
        let name = visitor.name.map { HTML.element("span", ["class": "who"], .name($0, limit: 30)) } ?? ""
        let signOut =
            visitor.isSignedIn
            ? HTML.form(to: Console.path + "sign-out", of: visitor, [.button("Sign out", class: "quiet")]) : ""
        return home + .element("nav", ["aria-label": "Pages"], .element("ul", HTML(items)))
            + .element("div", ["class": "person"], name + signOut)
    }
}

extension HTML {
    static func paragraph(_ content: HTML, class name: String? = nil) -> HTML {
        .element("p", ["class": name], content)
    }

    static func heading(_ text: HTML) -> HTML { .element("h2", text) }

    static func link(_ text: HTML, to path: String) -> HTML { .element("a", ["href": path], text) }

    /// A form that is sent with `POST`, and only accepted from this person.
    static func form(
        to path: String, of visitor: ConsoleVisitor, class name: String? = nil, _ content: [HTML]
    ) -> HTML {
        let token = HTML.hidden(ConsolePage.formTokenName, visitor.formToken)
        return .element("form", ["method": "post", "action": path, "class": name], token + HTML(content))
    }

    static func hidden(_ name: String, _ value: String) -> HTML {
        .element("input", ["type": "hidden", "name": name, "value": value])
    }

    static func button(_ label: HTML, class name: String? = nil) -> HTML {
        .element("button", ["type": "submit", "class": name], label)
    }

    /// A field with its label. A note below it says what to write.
    static func field(_ label: HTML, note: HTML = "", _ input: HTML) -> HTML {
        let below = note.markup.isEmpty ? "" : HTML.element("small", note)
        return .element("label", ["class": "field"], .element("span", label) + input + below)
    }
}
