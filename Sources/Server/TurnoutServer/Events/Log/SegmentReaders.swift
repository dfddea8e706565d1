/// The offsets of a log's readers: a file for each beside the segments, so that programs beside the server can read
/// the log, too, and hold back what they have not read.
///
/// A file is replaced, but not synced: after a power failure a reader may continue at an older offset. Readers
/// handle that anyway, because a process may end between the work and the acknowledgment.
struct SegmentReaders: Sendable {
    private let directory: String
    private(set) var offsets: [String: Int64] = [:]
    private static let prefix = "reader-"

    /// Reads the files. Those that cannot be read are ignored; their readers start at the oldest record.
    init(directory: String) {
        self.directory = directory
        reload()
    }

    /// Reads the files again: other processes may have readers.
    mutating func reload() {
        offsets = [:]
        for name in SystemCall.names(in: directory) where name.hasPrefix(Self.prefix) && !name.hasSuffix(".new") {
            guard let file = try? SegmentFile.read(directory + "/" + name),
                let bytes = try? file.bytes(at: 0, count: file.size)
            else { continue }
            // The names of folders may contain spaces.
            let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard words.count == 2, words[1].hasSuffix("\n"), let offset = Int64(words[0]), offset >= 0
            else { continue }
            offsets[String(words[1].dropLast())] = offset
        }
    }

    /// Sets a reader's offset; nil forgets the reader.
    mutating func set(_ reader: String, _ offset: Int64?) throws(EventLogError) {
        guard offsets[reader] != offset else { return }
        let path = directory + "/" + Self.prefix + Self.fileName(reader)
        guard let offset else {
            SystemCall.remove(path)
            offsets[reader] = nil
            return
        }
        try SegmentFile.create(path + ".new").write(Array("\(offset) \(reader)\n".utf8), at: 0)
        try SystemCall.move(path + ".new", to: path)
        offsets[reader] = offset
    }

    /// Names contain addresses.
    private static func fileName(_ reader: String) -> String {
        var hash = EventHash()
        var reader = reader
        reader.withUTF8 { hash.add($0) }
        return String(hash.value, radix: 16)
    }
}
