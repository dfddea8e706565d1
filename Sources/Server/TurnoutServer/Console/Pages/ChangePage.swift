import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// The forms that change a flag in an environment, each beside what it is now.
struct ChangePage: Sendable {
    let content: FlagsFileContent
    let flag: AuthoredFlag
    let environment: String
    let visitor: ConsoleVisitor
    /// The name of the file, if this server does not write it.
    let unwritten: String?
    /// What was typed, to be corrected.
    var typed = QueryParameters()
    /// Why that was refused.
    var problem: String?
    /// What has changed in the file since the form was shown; nil if nothing has, or this server does not know.
    var meanwhile: Report?
    /// Whether the file has changed since the form was shown.
    var isConflict = false

    static func path(of flag: String) -> String { "\(Console.path)flags/\(flag.percentEncoded)/change" }

    /// The notice of problems, one in each line.
    static func notice(_ problem: String) -> HTML {
        .element("p", ["class": "problem lines", "role": "alert"], HTML(problem))
    }

    var page: ConsolePage {
        let rules = flag.rules(in: environment)
        let state = FlagState(flag.resolved(in: environment)).kind.rawValue
        let theirs = meanwhile.map { [HTML.heading("Changed meanwhile"), HTML.report($0)] } ?? []
        let notices = (problem.map { [Self.notice($0)] } ?? []) + theirs
        let lead = HTML.paragraph(
            "In " + .element("strong", .name(environment)) + ": " + HTML(state)
                + ". Nothing changes before you have seen what it means, and who moves.", class: "lead")
        let mode = unwritten.map { file in
            HTML.paragraph(
                "This server does not write " + .code(file)
                    + ": you get a patch, and the commands that make the change. "
                    + "The setting `console.editing` is `file` where it may.", class: "caution")
        }
        let forms = [switching(rules)] + rules.experiments.flatMap(experiment) + rules.deliveries.flatMap(delivery)
        return ConsolePage(
            "Change \(flag.key)", in: .flags, status: isConflict ? 409 : problem == nil ? 200 : 422,
            notices + [lead, mode ?? "", otherEnvironments] + unplaced(rules) + forms)
    }

    private var otherEnvironments: HTML {
        let others = content.project.environments.map(\.key).filter { $0 != environment }
        let links = others.enumerated().map { number, key in
            (number == 0 ? "" : ", ")
                + HTML.link(.name(key), to: "\(Self.path(of: flag.key))?environment=\(key.percentEncoded)")
        }
        return links.isEmpty ? "" : .paragraph("Change it in another environment: " + HTML(links))
    }

    /// What was typed for a rule that is gone.
    private func unplaced(_ rules: AuthoredRules) -> [HTML] {
        let known = [""] + rules.experiments.map(\.key) + rules.deliveries.map(\.key)
        return known.contains(typed["rule"] ?? "") ? [] : Self.typed(typed)
    }

    /// What was typed, where no form can show it.
    static func typed(_ fields: QueryParameters) -> [HTML] {
        let own = [ConsolePage.formTokenName, "tag", "step", "change"]
        let typed = fields.parameters.filter { !own.contains($0.name) && !$0.value.isEmpty }.map { field in
            HTML.element("dt", HTML(field.name)) + .element("dd", HTML(field.value))
        }
        return typed.isEmpty ? [] : [.heading("What you typed"), .element("dl", HTML(typed))]
    }

    // MARK: Forms

    private func switching(_ rules: AuthoredRules) -> HTML {
        rules.isEnabled
            ? form(
                .off, "Turn off", "now its rules apply",
                [.paragraph("Everyone gets the variation `off`, with the default values. The rules stay in the file.")])
            : form(.on, "Turn on", "now off, whatever its rules say", [.paragraph("The rules apply again.")])
    }

    private func experiment(_ rule: AuthoredExperiment) -> [HTML] {
        let status = rule.status.spelling
        let hasEnded = ![.running, .paused, .notStarted].contains(rule.status)
        let title = [HTML.heading(.name(rule.key)), sharing(rule.origin)]
        let ended = HTML.paragraph("It has ended (status `\(status)`): its users get what the other rules say.")
        let forms =
            hasEnded
            ? [ended] : [traffic(rule.key, rule.traffic), allowList(of: rule)]
        let endings = hasEnded ? [] : [rule.kind == .rollout ? "" : winner(of: rule), stop(rule, status)]
        return title + forms + [self.status(of: rule, status)] + endings
    }

    /// Says which other environments a change of a rule is about.
    private func sharing(_ origin: SourceOrigin) -> HTML {
        let others = content.project.environments.map(\.key).filter { other in
            let rules = flag.rules(in: other)
            let origins = rules.experiments.map(\.origin) + rules.deliveries.map(\.origin)
            return other != environment && origins.contains { $0.range == origin.range }
        }
        return others.isEmpty
            ? ""
            : .paragraph(
                "A change of this rule is one in " + .name(others.joined(separator: ", ")) + ", too: they share it.",
                class: "caution")
    }

    private func status(of rule: AuthoredExperiment, _ status: String) -> HTML {
        // Those that end it have forms of their own.
        let statuses = ["running", "paused"] + (["running", "paused"].contains(status) ? [] : [status])
        return form(
            .status, of: rule.key, "Status", "now \(status)",
            [
                .paragraph("While it is paused, nobody takes part, and its users get what the rules below say."),
                .field("Status", select("value", .status, rule.key, statuses, otherwise: status)),
            ])
    }

    private func allowList(of rule: AuthoredExperiment) -> HTML {
        let users = rule.allowList.map { "\($0.variation): \($0.userIDs.prefix(20).joined(separator: ", "))" }
        let listed = rule.allowList.reduce(0) { $0 + $1.userIDs.count }.grouped("user")
        return form(
            .allowList, of: rule.key, "Allow list", "now \(listed)",
            [
                .paragraph("Users on the list get their variation whatever the traffic and the audience say."),
                .element("ul", HTML(users.map { .element("li", HTML($0)) })),
                area("add", "Add users, or move them from another variation", rule.key),
                .field(
                    "Variation for those",
                    select("variation", .allowList, rule.key, rule.split.map(\.variation), isRequired: false)),
                area("remove", "Remove users", rule.key),
            ])
    }

    private func stop(_ rule: AuthoredExperiment, _ status: String) -> HTML {
        form(
            .stop, of: rule.key, "Stop the experiment", "now \(status)",
            [
                .paragraph(
                    "It ends for good (status `archived`), and its users get what the rules below say. To "
                        + "interrupt it only, choose the status `paused`.")
            ])
    }

    private func winner(of rule: AuthoredExperiment) -> HTML {
        let variations = rule.split.map(\.variation)
        return form(
            .rollOut, of: rule.key, "Roll out the winner", "one of \(variations.joined(separator: ", "))",
            [
                .paragraph(
                    "The experiment ends with its allow list, and everyone in its audience gets one variation."),
                .field("Winner", select("variation", .rollOut, rule.key, variations)),
            ])
    }

    private func delivery(_ rule: AuthoredDelivery) -> [HTML] {
        [.heading(.name(rule.key)), sharing(rule.origin), traffic(rule.key, rule.traffic)]
    }

    private func traffic(_ rule: String, _ share: TrafficShare) -> HTML {
        let now = Hundredths.text(share.buckets) + "%"
        let value = typedValue("value", .traffic, rule) ?? now
        return form(
            .traffic, of: rule, "Traffic", "now \(now)",
            [
                .field(
                    "Share of the audience", note: "A percentage, such as 12.5%",
                    .element("input", ["name": "value", "value": value, "required": "", "autocomplete": "off"]))
            ])
    }

    /// A form behind its title and what is so now; open if it was sent before.
    private func form(
        _ kind: ChangeForm.Kind, of rule: String = "", _ title: String, _ now: String, _ fields: [HTML]
    ) -> HTML {
        let isOpen = typed["change"] == kind.rawValue && (typed["rule"] ?? "") == rule
        var hidden = [("change", kind.rawValue), ("environment", environment), ("rule", rule), ("tag", content.tag)]
        if isOpen, let message = typed["message"] { hidden.append(("message", message)) }
        let form = HTML.form(
            to: Self.path(of: flag.key), of: visitor,
            hidden.map(HTML.hidden) + fields + [.button("Show what it means")])
        let summary = HTML.element("summary", .element("strong", HTML(title)) + ", " + HTML(now.truncated(to: 80)))
        return .element("details", ["class": "panel change", "open": isOpen ? "" : nil], summary + form)
    }

    private func typedValue(_ name: String, _ kind: ChangeForm.Kind, _ rule: String) -> String? {
        typed["change"] == kind.rawValue && typed["rule"] == rule ? typed[name] : nil
    }

    /// A list to choose from. Without a value, nothing in it is chosen.
    private func select(
        _ name: String, _ kind: ChangeForm.Kind, _ rule: String, _ choices: [String],
        otherwise: String? = nil, isRequired: Bool = true
    ) -> HTML {
        let chosen = typedValue(name, kind, rule) ?? otherwise
        let options = ([""] + choices).map { choice in
            HTML.element(
                "option", ["value": choice, "selected": choice == chosen ?? "" ? "" : nil],
                HTML(choice.isEmpty ? "Choose …" : choice))
        }
        return .element("select", ["name": name, "required": isRequired ? "" : nil], HTML(options))
    }

    private func area(_ name: String, _ label: HTML, _ rule: String) -> HTML {
        let text = typedValue(name, .allowList, rule) ?? ""
        let input = HTML.element("textarea", ["name": name, "rows": "3"], HTML(exactly: text))
        return .field(label, note: "One id in each line.", input)
    }
}
