import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// The rules of a flag in an environment: sentences, and the buckets of users who get each variation.
struct FlagRules {
    private let flag: AuthoredFlag
    /// The rules that are served, with their buckets.
    private let served: [Rule]
    private let environment: String?
    /// The places of variations, as on the whole page.
    private let places: [String: Int]

    init(_ flag: AuthoredFlag, _ datafile: ServedDatafile?, places: [String: Int]) {
        (self.flag, environment, self.places) = (flag, datafile?.environment, places)
        let rules = datafile?.project.flag(flag.key)
        served = (rules?.experiments ?? []) + (rules?.rolloutRules ?? [])
    }

    /// The places of variations among the arms of the flag, for their colors and marks: those of the first experiment
    /// in the order of the file, as its results have them.
    static func places(in flag: AuthoredFlag) -> [String: Int] {
        let arms = flag.rules.experiments.flatMap { $0.fileOrder + $0.split.map(\.variation) }
        return (arms + flag.variations.map(\.key) + [AuthoredVariation.offKey]).reduce(into: [:]) { places, key in
            if places[key] == nil { places[key] = places.count }
        }
    }

    var html: HTML {
        let rules = flag.rules
        let rest = rules.everyoneElse.map { HTML.code($0.variation) } ?? "no variation"
        let hasRules = !rules.experiments.isEmpty || !rules.deliveries.isEmpty
        let off = HTML.paragraph("Turned off: everyone gets " + .code(AuthoredVariation.offKey) + ".")
        let experiments = rules.experiments.map { experiment -> HTML in
            let link =
                Console.path + "experiments/" + experiment.key.percentEncoded
                + (environment.map { "?environment=" + $0.percentEncoded } ?? "")
            return sentence(experiment.kind.label, experiment.key, experiment.summary)
                + (experiment.kind == .rollout ? "" : " " + .link("Results", to: link))
                + (experiment.status == .running
                    ? buckets(of: experiment.key, experiment.traffic) : "")
        }
        let deliveries = rules.deliveries.map { delivery in
            sentence("delivery", delivery.key, delivery.summary)
                + (delivery.isEnabled ? buckets(of: delivery.key, delivery.traffic) : "")
        }
        let last = HTML("Everyone\(hasRules ? " else" : "") gets ") + rest + "."
        guard hasRules else { return rules.isEnabled ? .paragraph(last) : off }
        let list = HTML.element("ol", HTML((experiments + deliveries + [last]).map { .element("li", $0) }))
        return (rules.isEnabled ? "" : off + .paragraph("When it is on:")) + list
    }

    private func sentence(_ kind: String, _ key: String, _ summary: String) -> HTML {
        HTML(kind.prefix(1).uppercased() + kind.dropFirst() + " ") + .code(key) + ": " + .name(summary, limit: 500)
            + "."
    }

    /// A bar of all buckets, and the share of each variation. Empty if the rule has none.
    private func buckets(of key: String, _ traffic: TrafficShare) -> HTML {
        guard let rule = served.first(where: { $0.key == key }) else { return "" }
        let ranges = rule.traffic.filter { $0.entityKey != nil && !$0.buckets.isEmpty }
        guard !ranges.isEmpty else { return "" }
        // The last range of a feature rollout is that of the users outside its share.
        let own = rule.type == .featureRollout ? rule.traffic.dropLast() : rule.traffic[...]
        guard own.reduce(0, { $0 + ($1.entityKey == nil ? 0 : $1.buckets.count) }) == traffic.buckets else {
            return .paragraph("The server still serves another share: reload in a moment.", class: "note")
        }
        let rects = ranges.map { range in
            HTML.element(
                "rect",
                [
                    "class": "fill\((places[range.entityKey ?? ""] ?? 0) % 8)", "x": "\(range.buckets.lowerBound)",
                    "width": "\(range.buckets.count)", "height": "1000",
                ], "")
        }
        let bar = HTML.element(
            "svg",
            ["class": "buckets", "viewBox": "0 0 10000 1000", "preserveAspectRatio": "none", "aria-hidden": "true"],
            HTML(rects))
        let shares = Dictionary(grouping: ranges) { $0.entityKey ?? "" }
        let inOrder = shares.sorted {
            ($0.value[0].buckets.lowerBound, $0.key) < ($1.value[0].buckets.lowerBound, $1.key)
        }
        let items = inOrder.map { key, ranges in
            let share = TrafficShare(buckets: ranges.reduce(0) { $0 + $1.buckets.count })
            return HTML.arm(key, places[key]) + HTML(" \(share.percent)")
        }
        let rest = Bucketing.bucketCount - ranges.reduce(0) { $0 + $1.buckets.count }
        return bar
            + .list(items + (rest > 0 ? [HTML("nobody \(TrafficShare(buckets: rest).percent)")] : []), class: "legend")
    }
}

extension HTML {
    /// The name of a variation, with the color and the mark of its place.
    static func arm(_ key: String, _ place: Int?) -> HTML {
        place.map { .named(ArmStyle($0).shape, .name(key, limit: 40)) } ?? .name(key, limit: 40)
    }
}
