/// The ids that an imported part carries in `datafile`. They belong to one environment: with those of another one,
/// results of both would be stored under the same id.
extension Node {
    private static let identityKeys = ["id", "key", "layerId"]
    /// Their values are data, in which `datafile` means something else.
    private static let opaqueKeys = ["audience", "variables"]

    /// The node in the place of another one: it has that one's carried ids instead of its own.
    package func withIdentity(of other: Node?) -> Node {
        switch content {
        case .scalar: return self
        case .sequence(let elements):
            let rules = elements.map { element -> Node in
                let key = EditPlace.ruleKey(element)
                return element.withIdentity(of: key.flatMap { other?.rule($0) })
            }
            return Node(.sequence(rules), range: range)
        case .mapping(let members):
            var result: [Member] = []
            for member in members where member.key.text != "datafile" {
                let isOpaque = Self.opaqueKeys.contains(member.key.text)
                let value = isOpaque ? member.value : member.value.withIdentity(of: other?[member.key.text])
                result.append(Member(member.key, value))
            }
            let place = members.firstIndex { $0.key.text == "datafile" }
            if let carried = Self.carried(self["datafile"], identityOf: other?["datafile"]) {
                let key = place.map { members[$0].key } ?? Key("datafile")
                result.insert(Member(key, carried), at: place ?? result.count)
            }
            return Node(.mapping(result), range: range)
        }
    }

    /// The members of `datafile`, with the ids taken from another node; nil without members.
    private static func carried(_ node: Node?, identityOf other: Node?) -> Node? {
        if let node, !node.isMapping { return node }
        let own = (node?.members ?? []).filter { !identityKeys.contains($0.key.text) }
        let others = (other?.members ?? []).filter { identityKeys.contains($0.key.text) }
        guard !own.isEmpty || !others.isEmpty else { return nil }
        return Node(.mapping(own + others), range: node?.range ?? 0..<0)
    }

    private func rule(_ key: String) -> Node? {
        guard case .sequence(let elements) = content else { return nil }
        return elements.first { EditPlace.ruleKey($0) == key }
    }

    /// The changes that give a node the ids of another one, which has the same rules and members otherwise: the places
    /// of `datafile`, and the new values, or nil for those to be removed.
    package func identityChanges(to desired: Node, at path: EditPath) -> [(path: EditPath, value: Node?)] {
        guard !hasSameContent(as: desired) else { return [] }
        switch (content, desired.content) {
        case (.sequence(let elements), .sequence(let others)) where elements.count == others.count:
            return zip(elements, others).enumerated().flatMap { index, pair in
                pair.0.identityChanges(to: pair.1, at: EditPath(path.steps + [.index(index)]))
            }
        case (.mapping(let members), .mapping(let others)):
            var keys = members.map(\.key.text)
            keys += others.map(\.key.text).filter { !keys.contains($0) }
            return keys.flatMap { key -> [(path: EditPath, value: Node?)] in
                let (own, other) = (member(key), desired.member(key))
                let place = EditPath(path.steps + [.key(key)])
                guard key != "datafile", let own, let other else {
                    return own?.jsonValue == other?.jsonValue ? [] : [(place, other)]
                }
                return own.identityChanges(to: other, at: place)
            }
        default: return []
        }
    }

    private func member(_ key: String) -> Node? { members.first { $0.key.text == key }?.value }
}
