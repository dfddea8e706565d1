import TurnoutEngine

extension LockFile {
    /// Reads the text of a lock.
    ///
    /// A text in which git marked conflicts is read as the union of both branches. The compiler resolves traffic of two
    /// branches, and one id for two keys, with the project, or reports them.
    ///
    /// - Throws: A diagnostic with its line for each line that is not an entry, two ids for one key, ranges of traffic
    ///   out of order, and a missing end. All of a text are reported at once.
    /// - Complexity: O(n log n) in the size of the text.
    package init(text: String) throws(Diagnostics) { try self.init(bytes: Array(text.utf8)) }

    /// Reads the text of a lock in UTF-8; see ``init(text:)``.
    package init(bytes: [UInt8]) throws(Diagnostics) {
        var reader = LockReader()
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            reader.line = index + 1
            reader.read(line.last == 0x0D ? Array(line.dropLast()) : Array(line))
        }
        if !reader.hasHeader, !bytes.isEmpty, !reader.diagnostics.hasErrors { reader.reportMissingHeader() }
        if reader.needsEnd, !reader.hasEnd { reader.reportMissingEnd() }
        guard !reader.diagnostics.hasErrors else { throw reader.diagnostics }
        self = reader.lock
    }
}

/// Reads a lock line by line.
private struct LockReader {
    var lock = LockFile()
    var diagnostics = Diagnostics()
    var line = 1
    var hasHeader = false
    /// Whether the version has a last line.
    private(set) var needsEnd = false
    private(set) var hasEnd = false
    /// Whether the line is from before both branches of a conflict. Git writes such lines if `merge.conflictStyle` is
    /// `diff3` or `zdiff3`.
    private var isInMergeBase = false
    /// The last line that is not blank.
    private var lastLine = 1
    /// The lines of the first division of each path.
    private var trafficLines: [EntityPath: Int] = [:]
    private var idLines: [EntityPath: Int] = [:]
    /// The paths that have an id, by kind and id.
    private var owners: [EntityPath.Kind: [String: EntityPath]] = [:]

    mutating func read(_ bytes: [UInt8]) {
        guard bytes.contains(where: { $0 > 0x20 }) else { return }
        lastLine = line
        if let marker = Self.conflictMarkers.first(where: { bytes.starts(with: $0.utf8) }) {
            isInMergeBase = marker == "|||||||"
            return
        }
        guard !isInMergeBase else { return }
        do throws(JSONError) {
            guard case .array(let entry) = try JSONValue(parsing: bytes), case .string(let name)? = entry.first else {
                return report("expected an array that begins with id, retired, traffic, type or revision")
            }
            read(name, Array(entry.dropFirst()))
        } catch { report("\(error.message) in column \(error.column)") }
    }

    /// How lines between the entries of two branches begin.
    private static let conflictMarkers = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]

    private mutating func read(_ name: String, _ entry: [JSONValue]) {
        switch name {
        case "turnout.lock" where entry == [.string("end")]: hasEnd = true
        case "turnout.lock": readHeader(entry)
        case "id": readID(entry)
        case "retired": readRetiredID(entry)
        case "traffic": readTraffic(entry)
        case "type": readType(entry)
        case "revision": readRevision(entry)
        case "project": readProject(entry)
        default:
            report("unknown entry \(name.debugDescription), expected id, project, retired, traffic, type or revision")
        }
    }

    private mutating func readHeader(_ entry: [JSONValue]) {
        hasHeader = true
        switch entry.first {
        case .integer(1): break
        case .integer(2), .integer(3): needsEnd = true
        default:
            report(
                "the lock has a version that this program does not know, expected 1, 2 or 3",
                advice: "use the newer turnout that wrote it")
        }
    }

    private mutating func readProject(_ entry: [JSONValue]) {
        guard entry.count == 1, let key = entry.first?.text else { return report("expected the key of the project") }
        if let known = lock.projectKey, known != key {
            report("the lock names two projects, \(known) and \(key)", advice: "keep the line of this project")
        }
        lock.projectKey = key
    }

    private mutating func readID(_ entry: [JSONValue]) {
        guard let path = path(entry.dropLast()), let id = id(entry.last) else { return }
        if let known = lock.ids[path], !known.hasSameBytes(as: id) {
            report(
                "\(path.description) has two ids, \(known) and \(id)", .twoIDs,
                advice: "keep the line whose id is in the deployed datafile, and delete the other")
        } else if let owner = owners[path.kind]?[id], owner != path, owner.canBeRenamed(to: path) {
            let lines = [idLines[owner] ?? line, line]
            lock.sharedIDs.append(SharedID(first: owner, second: path, lines: lines))
            lock.ids[path] = id
        } else {
            lock.ids[path] = id
            idLines[path] = line
            owners[path.kind, default: [:]][id] = path
        }
    }

    private mutating func readRetiredID(_ entry: [JSONValue]) {
        guard let path = path(entry.dropLast()), let id = id(entry.last) else { return }
        lock.addRetired(id, of: path)
    }

    private mutating func readTraffic(_ entry: [JSONValue]) {
        guard let path = path(entry.dropLast()) else { return }
        guard let allocation = entry.last.flatMap(TrafficAllocation.init(ranges:)) else {
            return report("expected ranges of traffic such as [[\"off\",5000],[\"on\",10000]] at the end of the line")
        }
        let ends = [0] + allocation.ranges.map(\.end)
        if zip(ends, ends.dropFirst()).contains(where: { $0 > $1 }) {
            report("the ranges of \(path.description) do not ascend", advice: "restore the line from an older commit")
        } else if let last = ends.last, last > Bucketing.bucketCount {
            report(
                "the ranges of \(path.description) end at \(last), after the last bucket \(Bucketing.bucketCount)",
                advice: "restore the line from an older commit")
        } else if lock.allocations[path] == nil {
            lock.allocations[path] = allocation
            trafficLines[path] = line
        } else if !lock.allocations(of: path).contains(allocation) {
            // Git merged two branches.
            lock.mergedAllocations[path, default: []].append(allocation)
            lock.mergedLines[path, default: [trafficLines[path] ?? line]].append(line)
        }
    }

    private mutating func readType(_ entry: [JSONValue]) {
        guard let path = path(entry.dropLast()) else { return }
        guard path.kind == .variable, case .string(let type)? = entry.last else {
            return report("expected [\"type\",\"variable\",FLAG,VARIABLE,TYPE]")
        }
        lock.types[path, default: []].insert(type)
    }

    private mutating func readRevision(_ entry: [JSONValue]) {
        guard entry.count == 3, case .string(let environment) = entry[0], case .integer(let number) = entry[1],
            (0...Int64(LockFile.Revision.greatest)).contains(number), case .string(let hash) = entry[2]
        else { return report("expected [\"revision\",ENVIRONMENT,NUMBER,HASH]") }
        let revision = LockFile.Revision(number: Int(number), contentHash: hash)
        guard let known = lock.revisions[environment], known != revision else {
            lock.revisions[environment] = revision
            return
        }
        // Two branches compiled. Neither hash is that of the merged project, so the next revision exceeds both.
        lock.revisions[environment] = LockFile.Revision(
            number: max(known.number, revision.number), contentHash: "")
    }

    private mutating func path(_ values: ArraySlice<JSONValue>) -> EntityPath? {
        var keys: [String] = []
        for value in values {
            guard case .string(let key) = value else { break }
            keys.append(key)
        }
        let kind = keys.isEmpty ? nil : EntityPath.Kind(rawValue: keys.removeFirst())
        guard let kind else {
            report("expected a kind: \(EntityPath.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        guard kind.keyCounts.contains(keys.count), keys.count == values.count - 1 else {
            let counts = kind.keyCounts.map(String.init).joined(separator: " or ")
            report("expected \(counts) keys after \"\(kind.rawValue)\"")
            return nil
        }
        return EntityPath(kind, keys)
    }

    private mutating func id(_ value: JSONValue?) -> String? {
        guard case .string(let id)? = value, !id.isEmpty else {
            report("expected an id in quotes at the end of the line")
            return nil
        }
        return id
    }

    // MARK: Problems

    mutating func reportMissingHeader() {
        line = 1
        report("this is not a lock: its first line is not [\"turnout.lock\",1,…]")
    }

    mutating func reportMissingEnd() {
        line = lastLine
        report(
            "the file is cut: its last line, \(LockFile.end.compactText), is missing", .cut,
            advice: "restore the whole file from your repository's history; only if nothing else is missing, add the "
                + "line")
    }

    private mutating func report(_ message: String, _ problem: LockProblem = .line, advice: String? = nil) {
        diagnostics.add(
            Diagnostic(.error, problem.rawValue, message, advice: advice, at: SourcePosition(line: line, column: 1)))
    }
}

extension TrafficAllocation {
    fileprivate init?(ranges value: JSONValue) {
        guard case .array(let elements) = value else { return nil }
        self.init()
        for element in elements {
            guard case .array(let parts) = element, parts.count >= 2, case .string(let key) = parts[0],
                case .integer(let end) = parts[1], let end = Int(exactly: end),
                parts.dropFirst(2).isEmpty || parts.dropFirst(2) == [Range.pausedMark]
            else { return nil }
            ranges.append(Range(key, end: end, isPaused: parts.count > 2))
        }
    }
}

/// The kinds of problems in the text of a lock. All of them are errors; the compiler reports more, which concern the
/// project as well.
package enum LockProblem: String, Sendable, CaseIterable {
    case line = "lock-line"
    case cut = "lock-cut"
    case twoIDs = "lock-two-ids"

    /// The meaning of the code, in one sentence without a period.
    package var meaning: String {
        switch self {
        case .line: "The line is not an entry of a lock"
        case .cut: #"The last line, `["turnout.lock","end"]`, is missing; the file may be truncated"#
        case .twoIDs: "A key has two ids"
        }
    }
}
