import TurnoutEngine

/// The values of a feature, with names for them. They have none in the file.
struct GrowthBookValues {
    private(set) var named: [(name: String, value: Node)] = []
    private var names: [String: String] = [:]
    private var taken: Set<String> = []

    init(_ defaultValue: Node?, _ rules: [Node]) {
        var values = [defaultValue].compactMap { $0 }
        var titles: [String: String] = [:]
        for rule in rules {
            let variations = rule["variations"]?.elements ?? []
            values += [rule["force"]].compactMap { $0 } + variations
            for (variation, meta) in zip(variations, rule["meta"]?.elements ?? []) {
                let json = variation.compactJSON
                titles[json] = titles[json] ?? meta["name"]?.text
            }
        }
        for value in values { add(value, titles[value.compactJSON]) }
    }

    /// The name of a value.
    func name(of value: Node) -> String? { names[value.compactJSON] }

    /// A short value is its own name. Others have the name of their variation, if there is one.
    private mutating func add(_ value: Node, _ title: String?) {
        let json = value.compactJSON
        guard names[json] == nil, !value.isNothing else { return }
        let candidates = [value.text, title].compactMap { $0 }.filter(Self.isName)
        var name = candidates.first { !taken.contains($0) } ?? "value_\(named.count + 1)"
        while !taken.insert(name).inserted { name += "_" }
        names[json] = name
        named.append((name, value))
    }

    private static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 || "_-. ".utf8.contains($0) }
    }
}
