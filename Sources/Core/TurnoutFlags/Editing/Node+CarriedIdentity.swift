/// The ids that an imported part carries in `datafile`. They belong to one environment: with those of another one,
/// results of both would be stored under the same id.
extension Node {
    private static let identityKeys = ["id", "key", "layerId"]
    /// Their values are data, in which `datafile` means something else.
    private static let opaqueKeys = ["audience", "variables"]

    /// The node in the place of another one: it has that one's carried ids instead of its own.
    func withIdentity(of other: Node?) -> Node {
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

    /// The members of `datafile` without the ids, which are those of another one; nil without members.
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
}
