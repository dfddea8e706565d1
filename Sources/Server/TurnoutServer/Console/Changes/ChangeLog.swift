import TurnoutClient
import TurnoutEngine

/// A change of the project file by this server, or an attempt.
struct ChangeRecord: Sendable, Equatable {
    /// In milliseconds since 1970.
    var time: Int64
    /// The name of the token, or of the user whom a proxy names; nil for someone on this machine.
    var user: String?
    /// Where the request came from.
    var address: String
    /// The keys of the environments.
    var environments: [String]
    /// What it means, as `turnout diff` says it.
    var meaning: String
    /// The keys of the flags that it is about.
    var flags: [String] = []
    /// Why, in the person's words.
    var message: String
    /// Why nothing was changed; nil if it was.
    var failure: String?

    /// Who it was, if no name is known.
    static let someone = "someone on this machine"

    /// The members of the record in JSON.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "time": .integer(time), "environments": .array(environments.map(JSONValue.string)),
            "address": .string(address), "meaning": .string(meaning), "message": .string(message),
            "flags": .array(flags.map(JSONValue.string)),
        ]
        (members["user"], members["failure"]) = (user.map(JSONValue.string), failure.map(JSONValue.string))
        return members
    }
}

extension ChangeRecord {
    init?(_ json: JSONValue) {
        guard case .integer(let time)? = json["time"] else { return nil }
        func text(_ name: String) -> String? { json[name]?.string }
        func texts(_ name: String) -> [String] {
            if case .array(let elements)? = json[name] { elements.compactMap(\.string) } else { [] }
        }
        self.init(
            time: time, user: text("user"), address: text("address") ?? "", environments: texts("environments"),
            meaning: text("meaning") ?? "", flags: texts("flags"), message: text("message") ?? "",
            failure: text("failure"))
    }
}

extension JSONValue {
    /// The text of a string; nil for other values.
    var string: String? { if case .string(let text) = self { text } else { nil } }
}

/// Who changed what, when and why: a file in the server's folder, one JSON object a line, which only grows.
final class ChangeLog: Sendable {
    private let directory: String
    /// Whether the file is deleted when the server ends.
    let isTemporary: Bool
    /// The records that are read, the last one last, and the size of the file up to them.
    private struct Known {
        var records: [ChangeRecord] = []
        var size: Int64 = 0
    }

    /// The most records that are read; earlier ones stay in the file.
    static let limit = 10_000
    /// The most bytes that are read at a time.
    private static let readLimit: Int64 = 16 << 20

    private let writing = Locked(())
    private let known = Locked(Known())

    private var path: String { directory + "/console.ndjson" }

    init(in directory: String, isTemporary: Bool) { (self.directory, self.isTemporary) = (directory, isTemporary) }

    /// Adds a record. It is on the disk when the function returns.
    func append(_ record: ChangeRecord) throws {
        try writing.withLock { _ in
            try SystemCall.makeDirectory(directory)
            let isNew = !SystemCall.exists(path)
            let file = try isNew ? SegmentFile.create(path) : SegmentFile.open(path)
            let size = file.size
            // A line that was cut when the machine failed stays alone.
            let isCut = try size > 0 && file.bytes(at: size - 1, count: 1) != [0x0A]
            try file.write(
                Array(((isCut ? "\n" : "") + JSONValue.object(record.members).compactText + "\n").utf8), at: size)
            try file.synchronize()
            if isNew { SystemCall.synchronizeNames(in: directory) }
        }
    }

    /// The latest records, the last one first.
    func records() throws -> [ChangeRecord] {
        guard let file = try SegmentFile.read(path) else { return [] }
        return try known.withLock { known in
            let size = Int64(file.size)
            // A file that someone has cut is read again.
            if size < known.size { known = Known() }
            if size > known.size {
                let start = max(known.size, size - Self.readLimit)
                let bytes = try file.bytes(at: numericCast(start), count: numericCast(size - start))
                let end = (bytes.lastIndex(of: 0x0A) ?? -1) + 1
                let news = bytes[..<end].split(separator: 0x0A).compactMap { line in
                    (try? JSONValue(parsing: Array(line))).flatMap { ChangeRecord($0) }
                }
                known.records = Array((known.records + news).withOutcomes.suffix(Self.limit))
                known.size = start + Int64(end)
            }
            return known.records.reversed()
        }
    }
}

extension [ChangeRecord] {
    /// The records, where one of a failure takes the place of that of the attempt, which was written before the file.
    fileprivate var withOutcomes: [ChangeRecord] {
        reduce(into: []) { records, record in
            var attempt = record
            attempt.failure = nil
            if record.failure != nil, let place = records.suffix(20).lastIndex(of: attempt) {
                records[place] = record
            } else {
                records.append(record)
            }
        }
    }
}
