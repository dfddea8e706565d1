import TurnoutClient

/// A failure of SQLite or of the file system.
public struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code, such as 13: the disk is full.
    public let code: Int32
    /// SQLite's message, in English. Contains no stored data.
    public let message: String
    /// The path of the file, as it was given.
    public let file: String

    package init(code: Int32, message: String, file: String) {
        self.code = code
        self.message = message
        self.file = file
    }

    /// The file, the problem, a remedy, and SQLite's code. Contains no stored data.
    public var description: String {
        guard let explanation else { return "\(file): \(message)" + (code > 0 ? " (SQLite code \(code))" : "") }
        return "\(file): \(explanation) (SQLite code \(code): \(message))"
    }

    /// SQLite's messages by result code, and their explanations.
    private static let explanations: [Int32: (message: String, explanation: String)] = [
        5: ("database is locked", "another process or connection has locked the file; `fuser` shows it: end it"),
        7: ("out of memory", "the process has no memory left"),
        8: (
            "attempt to write a readonly database",
            "the file is read-only for this process; check owner and mode of the file and its directory, and how "
                + "the disk is mounted"
        ),
        10: ("disk I/O error", "the disk reported an error; check the disk and the system's log"),
        11: ("database disk image is malformed", "the file is damaged"),
        13: ("database or disk is full", "the disk is full, or the file may not grow; free some space"),
        14: (
            "unable to open database file",
            "the file cannot be opened; check that its directory exists and belongs to this user, and the limit of "
                + "open files"
        ),
        26: ("file is not a database", "the file is damaged: it is not a database"),
    ]

    private var explanation: String? {
        if code == Self.unfinishedWrite { return Self.explanations[13]?.explanation }
        guard let known = Self.explanations[code & 0xFF], code > 0, known.message == message else { return nil }
        return known.explanation
    }

    /// Whether the file's contents are damaged, so trying again would not help.
    ///
    /// The statements are valid and consistent, so if SQLite rejects one (1), or reports a constraint or type
    /// mismatch (19, 20), the file is damaged.
    package var isDamage: Bool { [1, 11, 19, 20, 24, 26].contains(code & 0xFF) || code == Self.shortRead }
    private static let shortRead: Int32 = 522

    /// Whether there was no space on the disk (13), or the file reached the size limit of the process.
    package var isDiskFull: Bool { code & 0xFF == 13 || code == Self.unfinishedWrite }
    private static let unfinishedWrite: Int32 = 778

    /// SQLite's code: another connection or process holds a lock.
    static let busy: Int32 = 5
    /// Not an SQLite code: the file was moved while it was open.
    static let moved: Int32 = -1
    /// Not an SQLite code: an earlier read has not ended.
    static let timedOut: Int32 = -3
    /// Not an SQLite code: the file was open when the process was forked and must not be used in the child.
    static func forked(file: String) -> SQLiteError {
        SQLiteError(
            code: -4,
            message: "this process was forked from one that had the file open and cannot use it; create storages "
                + "and clients after the fork",
            file: file)
    }
    /// Not an SQLite code: the file was written by a newer version or another program.
    static let foreign: Int32 = -2
    /// The file was written by a newer version, with these tables, and is refused.
    package static func newer(_ found: Int64, than known: Int64, file: String) -> SQLiteError {
        SQLiteError(
            code: foreign,
            message: "written by a newer version (\(found)); this one reads versions up to \(known). Use the newer "
                + "program, or restore a backup", file: file)
    }
    /// The tables of an earlier version cannot be changed, because they are not as that version made them.
    package static func notUpgraded(_ error: SQLiteError, to version: Int64) -> SQLiteError {
        SQLiteError(
            code: foreign,
            message: "cannot be upgraded to version \(version), and was not changed: \(error.message). Undo what "
                + "another program changed, or restore a backup", file: error.file)
    }
    /// Damage that SQLite does not detect, with its code for a malformed file.
    static func damage(_ message: String, file: String) -> SQLiteError {
        SQLiteError(code: 11, message: message, file: file)
    }
}

extension SQLiteError: PrintableError {}
