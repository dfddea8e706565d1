package import TurnoutCodeGeneration
import TurnoutCommandIO
import TurnoutEngine

/// Which flags of a schema a program uses, which it does not use, and which it uses although the schema lacks them.
package struct FlagReport: Sendable {
    /// A use with its file.
    private struct Place: Sendable {
        let file: String
        let use: FlagUse
    }

    private let keys: [String]
    private let knownKeys: Set<String>
    /// Keys by the names of the generated code.
    private let keysByMember: [String: String]
    private let keysByType: [String: String]
    private var files = 0
    private var used: [String: [Place]] = [:]
    private var mentioned: [String: [Place]] = [:]
    /// Uses that the schema has no flag for, by what the code calls it: a key, a member or a type.
    private var stale: [String: [Place]] = [:]
    private var computed: [Place] = []

    package init(_ schema: FlagSchema) {
        keys = schema.flags.map(\.key)
        knownKeys = Set(keys)
        let names = SwiftNames(for: keys, kind: .flag)
        keysByMember = Dictionary(keys.map { (names.member($0), $0) }) { $1 }
        keysByType = Dictionary(keys.map { (names.type($0), $0) }) { $1 }
    }

    /// Whether the program uses flags that the schema lacks.
    package var hasStaleUses: Bool { !stale.isEmpty }

    /// Adds the uses in a source file. Generated code is not a use.
    package mutating func add(_ source: [UInt8], file: String) {
        guard !source.starts(with: SwiftFlags.marker.utf8) else { return }
        files += 1
        for use in FlagUse.uses(in: source) { add(Place(file: file, use: use)) }
    }

    private mutating func add(_ place: Place) {
        switch place.use.subject {
        case .key(let key): add(place, key: knownKeys.contains(key) ? key : nil, else: key)
        case .member(let name): add(place, key: keysByMember[name], else: place.use.isCertain ? "flags." + name : nil)
        case .type(let name): add(place, key: keysByType[name], else: "Flags." + name)
        case .literal(let text): if knownKeys.contains(text) { mentioned[text, default: []].append(place) }
        case .computed: computed.append(place)
        }
    }

    private mutating func add(_ place: Place, key: String?, else name: String?) {
        if let key {
            used[key, default: []].append(place)
        } else if let name {
            stale[name, default: []].append(place)
        }
    }

    // MARK: Sections

    private var onlyMentioned: [String] { keys.filter { used[$0] == nil && mentioned[$0] != nil } }
    private var unused: [String] { keys.filter { used[$0] == nil && mentioned[$0] == nil } }
    private var staleNames: [String] { stale.keys.sorted() }
}

// MARK: Text

extension FlagReport {
    package func text(hasColor: Bool) -> String {
        let count = keys.filter { used[$0] != nil }.count
        let sources = files == 1 ? "1 file" : "\(files.grouped) files"
        var text = "The code in \(sources) uses \(count.grouped) of \(keys.count.grouped) flags.\n"
        func add(_ title: String, _ style: TextStyle, _ entries: [(name: String, places: [Place])]) {
            guard !entries.isEmpty else { return }
            text += "\n" + title.styled(style, if: hasColor) + "\n"
            for (name, places) in entries {
                text += "  " + (name.isEmpty ? "\"\"" : name.printable) + "\n"
                for place in places {
                    text += "    \(place.file.printable):\(place.use.line): \(place.use.code.printable)\n"
                }
            }
        }
        add("Missing, but used", .red, staleNames.map { ($0, stale[$0] ?? []) })
        add("Unused", .yellow, unused.map { ($0, []) })
        add("Only named in a string", .yellow, onlyMentioned.map { ($0, mentioned[$0] ?? []) })
        add("Used", .bold, keys.compactMap { key in used[key].map { (key, $0) } })
        add("Calls that may use any flag", .bold, computed.isEmpty ? [] : [("computed key", computed)])
        return text
    }
}

// MARK: JSON

extension FlagReport {
    /// The report for programs: one object on one line.
    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("files")
        writer.integer(Int64(files))
        writer.key("stale")
        write(staleNames.map { ($0, stale[$0] ?? []) }, into: &writer)
        writer.key("unused")
        writer.beginArray()
        for key in unused { writer.string(key) }
        writer.endArray()
        writer.key("mentioned")
        write(onlyMentioned.map { ($0, mentioned[$0] ?? []) }, into: &writer)
        writer.key("used")
        write(keys.compactMap { key in used[key].map { (key, $0) } }, into: &writer)
        writer.key("computed")
        write(computed, into: &writer)
        writer.endObject()
        return writer.text + "\n"
    }

    private func write(_ entries: [(name: String, places: [Place])], into writer: inout JSONWriter) {
        writer.beginArray()
        for (name, places) in entries {
            writer.beginObject()
            writer.key("flag")
            writer.string(name)
            writer.key("uses")
            write(places, into: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ places: [Place], into writer: inout JSONWriter) {
        writer.beginArray()
        for place in places {
            writer.beginObject()
            writer.key("file")
            writer.string(place.file)
            writer.key("line")
            writer.integer(Int64(place.use.line))
            writer.key("code")
            writer.string(place.use.code)
            writer.endObject()
        }
        writer.endArray()
    }
}
