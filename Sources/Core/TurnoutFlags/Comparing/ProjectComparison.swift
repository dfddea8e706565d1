import TurnoutEngine

/// The meaning of an edit: what differs between two projects, in sentences.
///
/// Parts are matched by key, and renamed ones by their former key. Origins, comments and the order of parts without
/// meaning are not compared.
package struct ProjectComparison: Sendable {
    private let old: AuthoredProject
    private let new: AuthoredProject

    /// Prepares the comparison.
    package init(from old: AuthoredProject, to new: AuthoredProject) {
        self.old = old
        self.new = new
    }

    /// All differences: the project's own, then those of environments, attributes, events, audiences, flags,
    /// experiments, groups and holdouts.
    package var changes: [Change] {
        settings + environments + plainParts + audiences + flags + standaloneExperiments + groups + holdouts
    }

    /// The environments that both projects have.
    private var sharedEnvironments: [String] {
        new.environments.map(\.key).filter { key in old.environments.contains { $0.key == key } }
    }

    private var settings: [Change] {
        let (before, after) = (old.settings, new.settings)
        return [
            Detail.changed("project", old.key, new.key),
            Detail.changed("account", before.account, after.account),
            Detail.changed("region", before.region?.rawValue ?? "US", after.region?.rawValue ?? "US"),
            Detail.changed("anonymize_ip", before.anonymizesIP, after.anonymizesIP),
            Detail.changed("filter_bots", before.filtersBots, after.filtersBots),
            Detail.changed("send_flag_decisions", before.sendsFlagDecisions, after.sendsFlagDecisions),
            Detail.changed("segments", before.segments?.host, after.segments?.host),
            Detail.changed("public key of segments", before.segments?.publicKey, after.segments?.publicKey),
            Detail.verbatim(old.verbatim, new.verbatim),
        ].compactMap { $0.map { Change(.changed, ["project"], $0) } } + definedSegments
    }

    private var definedSegments: [Change] {
        Parts(
            old.settings.segments?.defined ?? [], new.settings.segments?.defined ?? [], key: \.key,
            formerKey: { _ in nil }
        ).changes("segment") {
            [
                Detail.changed("members", $0.members.joined(separator: ", "), $1.members.joined(separator: ", ")),
                Detail.changed("rule", $0.rule?.text, $1.rule?.text),
            ]
        }
    }

    private var environments: [Change] {
        Parts(old.environments, new.environments, key: \.key, formerKey: { _ in nil }).changes("environment") {
            [Detail.changed("SDK keys", $0.sdkKeys.joined(separator: ", "), $1.sdkKeys.joined(separator: ", "))]
        }
    }

    private var plainParts: [Change] {
        Parts(old.attributes, new.attributes, key: \.key, formerKey: \.formerKey).changes("attribute") { _, _ in [] }
            + Parts(old.events, new.events, key: \.key, formerKey: \.formerKey).changes("event") {
                [Detail.verbatim($0.verbatim, $1.verbatim)]
            }
    }

    private var audiences: [Change] {
        Parts(old.audiences, new.audiences, key: \.key, formerKey: \.formerKey).changes("audience") {
            Detail.condition("", $0.condition, $1.condition)
                + [
                    Detail.changed("description", $0.description, $1.description),
                    Detail.verbatim($0.verbatim, $1.verbatim),
                ]
        }
    }

    private var flags: [Change] {
        let parts = Parts(old.flags, new.flags, key: \.key, formerKey: \.formerKey)
        return parts.changes("flag") { _, _ in [] }
            + parts.common.flatMap { before, after in
                FlagComparison(from: before, to: after, environments: sharedEnvironments).changes
            }
    }

    private var standaloneExperiments: [Change] {
        Parts(old.experiments, new.experiments, key: \.key, formerKey: \.formerKey).changes("experiment") {
            $0.details(comparedTo: $1)
        }
    }

    private var groups: [Change] {
        Parts(old.groups, new.groups, key: \.key, formerKey: \.formerKey).changes("group") { before, after in
            let shares = { (group: AuthoredGroup) in
                group.members.map { (name: $0.experiment.name, value: $0.traffic.percent) }
            }
            return [Detail.changed("exclusive", before.isExclusive, after.isExclusive)]
                + Detail.shares("", shares(before), shares(after)) + [Detail.verbatim(before.verbatim, after.verbatim)]
        }
    }

    private var holdouts: [Change] {
        Parts(old.holdouts, new.holdouts, key: \.key, formerKey: \.formerKey).changes("holdout") {
            $0.details(comparedTo: $1)
        }
    }
}

/// The parts of one kind in two projects, matched by key.
struct Parts<Part: Equatable> {
    let added: [Part]
    let removed: [Part]
    let common: [(before: Part, after: Part)]
    private let key: (Part) -> String

    init(_ old: [Part], _ new: [Part], key: @escaping (Part) -> String, formerKey: (Part) -> String?) {
        self.key = key
        var byKey = Dictionary(old.map { (key($0), $0) }) { first, _ in first }
        var added: [Part] = []
        var common: [(Part, Part)] = []
        for part in new {
            let name = byKey[key(part)] == nil ? formerKey(part) ?? key(part) : key(part)
            if let before = byKey.removeValue(forKey: name) {
                common.append((before, part))
            } else {
                added.append(part)
            }
        }
        self.added = added
        self.common = common
        removed = old.filter { byKey.removeValue(forKey: key($0)) != nil }
    }

    /// The changes of these parts: added, removed, renamed, and the details of those that both have.
    func changes(
        _ kind: String, in outer: [String] = [], _ details: (Part, Part) -> [String?]
    ) -> [Change] {
        let subject = { (part: Part) in outer + ["\(kind) \(key(part))"] }
        var changes = added.map { Change(.added, subject($0)) } + removed.map { Change(.removed, subject($0)) }
        for (before, after) in common {
            if key(before) != key(after) {
                changes.append(Change(.renamed, subject(after), "renamed from \(key(before))"))
            }
            changes += details(before, after).compactMap { $0 }.map { Change(.changed, subject(after), $0) }
        }
        return changes
    }
}

extension SegmentRule {
    /// The rule in words.
    fileprivate var text: String {
        "\(times) × \(event)" + (days.map { " in \($0) days" } ?? "") + (revenue.map { ", revenue \($0)" } ?? "")
    }
}
