import TurnoutClient
import TurnoutEngine
import TurnoutReports

/// Why a user gets what: all decisions with their traces. The user is in a form, never in an address.
struct UsersPage: Sendable {
    static let path = Console.path + "users"
    /// The rows for attributes that are still empty.
    private static let emptyRows = 6
    /// The most decisions on a page; each has a trace.
    private static let limit = 100
    /// The most keys that the form suggests.
    private static let suggestions = 200

    let source: ConsoleFlagSource
    let clients: DecisionClients
    let platform: SegmentPlatform
    /// The attributes of a user's latest event in a project, and when it was received.
    let latestAttributes: @Sendable (_ user: String, _ project: String) throws -> (Attributes, Int64)?

    func page(_ request: ConsoleRequest) -> ConsolePage {
        let flags = source.flags
        var (request, note) = (request, HTML(""))
        if request.head.method == "POST", request.form["known"] == nil, Self.attributes(request.form).isEmpty {
            note = fillIn(&request.form, flags)
        }
        let form = self.form(request, flags)
        guard request.head.method == "POST" else {
            return ConsolePage(
                "Why?", in: .users,
                [
                    .paragraph(
                        "What does a user get, and why? Looking counts no decision and stores nothing.", class: "lead"),
                    form,
                ])
        }
        return ConsolePage("Why?", in: .users, [note] + answer(request, flags) + [.heading("Try another value"), form])
    }

    /// Adds the attributes that the user had last, and says so.
    private func fillIn(_ form: inout QueryParameters, _ flags: ConsoleFlags) -> HTML {
        let project = flags.environment(named: form["environment"])?.served?.project.projectID ?? ""
        guard let (attributes, time) = try? latestAttributes(form["user"] ?? "", project) else {
            return .paragraph(
                "No event of this user with attributes is known here. If the program has some, add them below: "
                    + "audiences need them.", class: "caution")
        }
        for (name, value) in attributes.sorted(by: { $0.name < $1.name }) {
            form.append("name", name)
            form.append("value", value.typed)
        }
        return .paragraph("With the attributes of the user's latest event, " + .time(time) + ".", class: "note")
    }

    // MARK: The form

    private func form(_ request: ConsoleRequest, _ flags: ConsoleFlags) -> HTML {
        let form = request.form
        let places = flags.environments.filter { $0.served != nil }.map { (value: $0.name, text: $0.name) }
        let id = HTML.element(
            "input", ["name": "user", "required": "", "value": form["user"] ?? "", "autocomplete": "off"])
        let filter = HTML.element(
            "input",
            ["name": "flags", "list": "keys", "value": form["flags"] ?? request.query["flag"] ?? ""])
        let keys = HTML.element(
            "datalist", ["id": "keys"],
            HTML(flags.flags.prefix(Self.suggestions).map { .element("option", ["value": $0.key], "") }))
        var fields: [HTML] = [.field("User id", id)]
        fields.append(
            places.count > 1
                ? .field("Environment", .select("environment", places, form["environment"]))
                : .hidden("environment", places.first?.value ?? ""))
        fields.append(.field("Flags", note: "A part of their keys; empty for all.", filter + keys))
        let given = Self.attributes(form).map { (name: $0.name, value: $0.value) }
        let rows = (given + Array(repeating: ("", ""), count: Self.emptyRows)).enumerated().map(Self.row)
        let names = Set(flags.environments.flatMap(\.attributes)).sorted()
        let known = HTML.element(
            "datalist", ["id": "attributes"], HTML(names.map { .element("option", ["value": $0], "") }))
        fields.append(
            .element(
                "fieldset",
                .element("legend", "Attributes") + HTML(rows) + known
                    + .element(
                        "small",
                        "Values are numbers, true, false or null if they look like it, and else texts; quotation marks "
                            + "force a text.")))
        if request.head.method == "POST" { fields.append(.hidden("known", "1")) }
        return .form(to: Self.path, of: request.visitor, class: "panel", fields + [.button("Explain")])
    }

    private static func row(_ number: Int, _ attribute: (name: String, value: String)) -> HTML {
        func input(_ name: String, _ label: String, _ value: String, list: String?) -> HTML {
            .element(
                "input",
                [
                    "name": name, "value": value, "list": list, "aria-label": "\(label) \(number + 1)",
                    "placeholder": number == 0 || !value.isEmpty ? label : nil, "autocomplete": "off",
                ])
        }
        return .element(
            "div", ["class": "pair"],
            input("name", "Name", attribute.name, list: "attributes")
                + input("value", "Value", attribute.value, list: nil))
    }

    private static func attributes(_ form: QueryParameters) -> [(name: String, value: String)] {
        zip(form.values("name"), form.values("value")).filter { !$0.0.isEmpty }.map { (name: $0, value: $1) }
    }

    // MARK: The answer

    private func answer(_ request: ConsoleRequest, _ flags: ConsoleFlags) -> [HTML] {
        guard let environment = flags.environment(named: request.form["environment"]), let served = environment.served,
            let client = clients[served.sdkKey]
        else { return [.paragraph("No datafile is served for this environment.", class: "problem")] }
        var user = User(request.form["user"] ?? "")
        for (name, value) in Self.attributes(request.form) { user.attributes[name] = AttributeValue(typed: value) }
        let part = (request.form["flags"] ?? "").lowercased()
        let all = served.project.flags.map(\.key)
        let keys =
            all.contains(request.form["flags"] ?? "")
            ? [request.form["flags"] ?? ""] : all.filter { part.isEmpty || $0.lowercased().contains(part) }
        let explanation = DecisionExplanation(of: Array(keys.prefix(Self.limit)), for: user, by: client, platform)
        let more = keys.count - Self.limit
        guard !keys.isEmpty else {
            return [.paragraph("No flag in " + .name(environment.name) + " has " + .name(part) + " in its key.")]
        }
        return [.paragraph(Self.lead(explanation, environment.name), class: "lead"), Self.buckets]
            + explanation.problems.map { .paragraph(HTML($0), class: "caution") }
            + [known(of: explanation, served.project)]
            + explanation.traces.map { decision($0, environment.name, isOpen: keys.count == 1) }
            + (more > 0 ? [.paragraph(HTML("\(more.grouped("flag")) more: name a part of their keys."))] : [])
    }

    /// The answer in a sentence.
    private static func lead(_ explanation: DecisionExplanation, _ environment: String) -> HTML {
        let (traces, user) = (explanation.traces, HTML.name(explanation.user.id, limit: 200))
        guard traces.count == 1 else {
            let on = traces.count(where: \.decision.isEnabled)
            return user + " in " + .name(environment)
                + HTML(": \(on.grouped) of \(traces.count.grouped("flag")) \(on == 1 ? "is" : "are") on.")
        }
        let decision = traces[0].decision
        let variation = decision.variationKey.map { HTML.element("strong", .name($0)) } ?? "no variation"
        let rule = decision.rule.map { $0.hasGeneratedKey ? "" : ", by the rule " + HTML.name($0.key) } ?? ""
        return user + " gets " + variation + " of " + .name(decision.flagKey) + " in " + .name(environment)
            + HTML(", which is \(decision.isEnabled ? "on" : "off")") + rule + ": "
            + .name(DecisionSummary(traces[0], in: environment).text, limit: 500) + "."
    }

    private static let buckets = HTML.paragraph(
        "A rule gives each user one of 10,000 buckets, always the same one, and each variation a range of them.",
        class: "note")

    /// What the decisions consider beside attributes.
    private func known(of explanation: DecisionExplanation, _ project: Project) -> HTML {
        let unknown = explanation.user.attributes.names(notIn: project.attributeNames)
        let assignments = explanation.assignments.map { "\($0.experiment): \($0.variation)" }
        let rows = [
            ("Segments", explanation.user.segments.sorted()), ("Stored assignments", assignments),
            ("Attributes without effect", unknown),
        ]
        return .element(
            "dl",
            HTML(
                rows.filter { $0.0 != "Attributes without effect" || !$0.1.isEmpty }.map { title, names in
                    let text = names.isEmpty ? "none" : names.joined(separator: ", ")
                    return HTML.element("dt", HTML(title)) + .element("dd", .name(text, limit: 500))
                }))
    }

    private func decision(_ trace: DecisionTrace, _ environment: String, isOpen: Bool) -> HTML {
        let decision = trace.decision
        let variation = decision.variationKey.map { HTML.element("strong", .name($0)) } ?? "no variation"
        let state = HTML.element(
            "span", ["class": decision.isEnabled ? "state on" : "state off"], decision.isEnabled ? "on" : "off")
        let rule = decision.rule.map { $0.hasGeneratedKey ? "" : ", by " + HTML.code($0.key) } ?? ""
        let reason = DecisionSummary(trace, in: environment).text
        let summary =
            HTML.code(decision.flagKey) + ": " + variation + ", " + state + rule + " "
            + .element("small", .name(reason, limit: 200))
        let link = HTML.paragraph(.link("Its rules", to: FlagPage.path(decision.flagKey)))
        let tree = HTML.element("ul", ["class": "trace"], HTML(trace.tree.branches.map(\.html)))
        return .element(
            "details", ["class": "decision", "open": isOpen ? "" : nil], .element("summary", summary) + tree + link)
    }
}

extension TraceTree {
    /// The line in a list, marked by its answer, with the lines that explain it below.
    fileprivate var html: HTML {
        let mark: String? =
            switch answer {
            case .yes: "yes"
            case .no: "no"
            case .unknown: "unknown"
            case .skipped, nil: nil
            }
        return .element(
            "li",
            .element("span", ["class": mark], .name(line, limit: 500))
                + (branches.isEmpty ? "" : .element("ul", HTML(branches.map(\.html)))))
    }
}

extension AttributeValue {
    /// How a person types the value.
    fileprivate var typed: String {
        guard case .string(let text) = self else { return description }
        if case .string = AttributeValue(typed: text) { return text }
        return JSONValue.string(text).compactText
    }
}
