/// Directories that are removed with the test.
final class Directories: Sendable {
    private let root = TemporaryDirectory()

    /// The path of a test that needs one.
    var first: String { root.path + "/first/turnout" }

    /// A new path.
    func next() -> String { "\(root.path)/\(UUID().uuidString)/turnout" }
}

/// The database file in a directory.
func file(in directory: String) -> String { directory + "/turnout.sqlite" }

/// The size of a file in bytes, or 0 without a file.
func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? Int) ?? 0
}

/// The bytes of a file.
func contents(of path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path))) }

/// Replaces a file.
func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

/// The names of damaged files that were moved aside in a directory.
func asides(in directory: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.contains("damaged") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
}

/// An event of about 700 bytes, a typical size.
func event(_ number: Int, size: Int = 700) -> OutgoingEvent {
    let text = "{\"v\":\(number),\"text\":\"" + String(repeating: "x", count: max(0, size - 30)) + "\"}"
    let group = OutgoingEvent.Group(region: number % 2 == 0 ? .us : .eu, envelope: "{\"visitors\":[")
    return OutgoingEvent(group: group, visitor: Array(text.utf8), timestamp: Int64(number))
}

/// The numbers of events.
func numbers(_ events: [StoredEvent]) -> [Int] { events.compactMap { $0.event.timestamp.map { Int($0) } } }

extension SQLiteOptions {
    /// Options with which calls return after their data is in the file.
    static var durable: SQLiteOptions {
        var options = SQLiteOptions()
        options.durability = .beforeReturning
        return options
    }
}
