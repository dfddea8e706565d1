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

    init(_ flag: AuthoredFlag, _ datafile: ServedDatafile?) {
        (self.flag, environment) = (flag, datafile?.environment)
        let rules = datafile?.project.flag(flag.key)
        served = (rules?.experiments ?? []) + (rules?.rolloutRules ?? [])
    }

    /// The places of variations among the arms of the flag, for their colors and marks.
    static func places(in flag: AuthoredFlag) -> [String: Int] {
        places(flag.rules.experiments.flatMap(arms) + flag.variations.map(\.key))
    }

    /// The variations of an experiment in the order of the file, as its results have them.
    private static func arms(_ experiment: AuthoredExperiment) -> [String] {
        experiment.fileOrder + experiment.split.map(\.variation)
    }

    private static func places(_ keys: [String]) -> [String: Int] {
        keys.reduce(into: [:]) { places, key in if places[key] == nil { places[key] = places.count } }
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
                    ? buckets(of: served.first { $0.key == experiment.key }, Self.places(Self.arms(experiment))) : "")
        }
        let deliveries = rules.deliveries.map { delivery in
            sentence("delivery", delivery.key, delivery.summary)
                + (delivery.isEnabled
                    ? buckets(of: served.first { $0.key == delivery.key }, Self.places(in: flag)) : "")
        }
        let last = HTML("Everyone\(hasRules ? " else" : "") gets ") + rest + "."
        guard hasRules else { return rules.isEnabled ? .paragraph(last) : off }
        let list = HTML.element("ol", HTML((experiments + deliveries + [last]).map { .element("li", $0) }))
        return (rules.isEnabled ? "" : off) + list
    }

    private func sentence(_ kind: String, _ key: String, _ summary: String) -> HTML {
        HTML(kind.prefix(1).uppercased() + kind.dropFirst() + " ") + .code(key) + ": " + .name(summary, limit: 500)
            + "."
    }

    /// A bar of all buckets, and the share of each variation. Empty if the rule has none.
    private func buckets(of rule: Rule?, _ places: [String: Int]) -> HTML {
        let ranges = rule?.traffic.filter { $0.entityKey != nil && !$0.buckets.isEmpty } ?? []
        guard !ranges.isEmpty else { return "" }
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
        let shares = Dictionary(grouping: ranges) { $0.entityKey ?? "" }.mapValues {
            $0.reduce(0) { $0 + $1.buckets.count }
        }
        let items = shares.sorted { (places[$0.key] ?? 0, $0.key) < (places[$1.key] ?? 0, $1.key) }.map { key, count in
            HTML.arm(key, places[key]) + HTML(" \(TrafficShare(buckets: count).percent)")
        }
        let rest = Bucketing.bucketCount - shares.values.reduce(0, +)
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
