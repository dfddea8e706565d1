import TurnoutClient
import TurnoutFlags
import TurnoutReports

/// The parts of pages about flags.
extension HTML {
    static func code(_ text: String) -> HTML { .element("code", .name(text)) }

    /// What a flag does in an environment: a word, and a bar for the share of users.
    static func state(_ state: FlagState?) -> HTML {
        guard let state else { return .element("span", ["class": "state off"], "not there") }
        let word = HTML.element(
            "span", ["class": state.kind == .off ? "state off" : "state on"], HTML(state.kind.rawValue))
        guard state.kind == .some || state.kind == .test else { return word }
        let bar = HTML.element(
            "svg",
            ["class": "traffic", "viewBox": "0 0 10000 1000", "preserveAspectRatio": "none", "aria-hidden": "true"],
            .element("rect", ["width": "\(state.traffic.buckets)", "height": "1000"], ""))
        let share = state.traffic.percent + (state.hasAudience ? " of an audience" : "")
        return word + .element("br", [:]) + bar
            + HTML(state.rules > 1 ? "up to \(share), by \(state.rules) rules" : share)
    }
}

extension FlagPage {
    static func path(_ flag: String) -> String { Console.path + "flags/" + flag.percentEncoded }
}
