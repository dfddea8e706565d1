import LibC
package import TurnoutCodeGeneration
import TurnoutCommandIO
import TurnoutEngine
package import TurnoutReports

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

    private var onlyMentioned: [String] { keys.filter { used[$0] == nil && mentioned[$0] != nil } }
    private var unused: [String] { keys.filter { used[$0] == nil && mentioned[$0] == nil } }
}

extension FlagReport {
    private typealias Entries = [(name: String, places: [Place])]

    private var staleEntries: Entries { stale.sorted { $0.key < $1.key }.map { ($0, $1) } }
    private var mentionedEntries: Entries { onlyMentioned.map { ($0, mentioned[$0] ?? []) } }
    private var usedEntries: Entries { keys.compactMap { key in used[key].map { (key, $0) } } }

    package var report: Report {
        let sources = files == 1 ? "1 file" : "\(files.grouped) files"
        let count = "The code in \(sources) uses \(usedEntries.count.grouped) of \(keys.count.grouped) flags."
        var report = Report([.sentence(count)])
        let sections: [(String, TextStyle, Entries)] = [
            ("Missing, but used", .red, staleEntries), ("Unused", .yellow, unused.map { ($0, []) }),
            ("Only named in a string", .yellow, mentionedEntries), ("Used", .bold, usedEntries),
            ("Calls that may use any flag", .bold, computed.isEmpty ? [] : [("computed key", computed)]),
        ]
        report.sections += sections.filter { !$2.isEmpty }.map { title, style, entries in
            let blocks = entries.flatMap { name, places in
                [.sentence(name.isEmpty ? "\"\"" : name, depth: 1)]
                    + places.map { Report.Block.sentence("\($0.file):\($0.use.line): \($0.use.code)", depth: 2) }
            }
            return Report.Section(title, style, blocks)
        }
        return report
    }

    /// The report for programs: one object on one line.
    package var json: String {
        func write(_ places: [Place], as key: String, to json: inout JSONWriter) {
            json.objects(key, places) { json, place in
                json.member("file", place.file)
                json.member("line", place.use.line)
                json.member("code", place.use.code)
            }
        }
        func write(_ entries: Entries, as key: String, to json: inout JSONWriter) {
            json.objects(key, entries) { json, entry in
                json.member("flag", entry.name)
                write(entry.places, as: "uses", to: &json)
            }
        }
        return JSONWriter.object { json in
            json.member("files", files)
            write(staleEntries, as: "stale", to: &json)
            json.member("unused", unused)
            write(mentionedEntries, as: "mentioned", to: &json)
            write(usedEntries, as: "used", to: &json)
            write(computed, as: "computed", to: &json)
        }.text + "\n"
    }
}

/// The Swift files of a source tree.
enum SourceFiles {
    /// The paths of all Swift files in files and folders, sorted within each folder.
    ///
    /// Skips hidden files and folders, such as `.build`, and links inside folders.
    static func swiftFiles(in paths: [String]) throws(CommandError) -> [String] {
        var files: [String] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else { throw .unreadable(path) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try collect(path.hasSuffix("/") ? String(path.dropLast()) : path, into: &files)
            } else {
                files.append(path)
            }
        }
        // A report on no code would call all flags unused.
        guard !files.isEmpty else {
            throw CommandError(
                "\(paths.joined(separator: ", ")): has no Swift file; nothing was reported",
                advice: "Name other folders.")
        }
        return files
    }

    private static func collect(_ folder: String, into files: inout [String]) throws(CommandError) {
        for name in try Folder.names(in: folder) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { throw .unreadable(path) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try collect(path, into: &files)
            case S_IFREG where name.hasSuffix(".swift"): files.append(path)
            default: break
            }
        }
    }
}
