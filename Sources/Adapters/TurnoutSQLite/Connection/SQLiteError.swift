#if SQLite
    /// What SQLite, or the file system below it, did not do.
    public struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
        /// SQLite's extended result code, such as 13: the disk is full.
        public let code: Int32
        /// What SQLite says, in English. Without anything that was stored.
        public let message: String
        /// The file, as it was given.
        public let file: String

        /// Creates an error.
        package init(code: Int32, message: String, file: String) {
            self.code = code
            self.message = message
            self.file = file
        }

        /// The file, the message and the code.
        public var description: String { "\(file): \(message) (SQLite code \(code))" }

        /// Whether the file's contents are not what they should be, so that trying again would not help.
        ///
        /// Our statements are right and fit together; if SQLite finds them wrong (1), or what they store in conflict
        /// (19, 20), it is the file that changed.
        var isDamage: Bool { [1, 11, 19, 20, 24, 26].contains(code & 0xFF) || code == Self.shortRead }
        private static let shortRead: Int32 = 522

        /// Whether there was no room: on the disk (13), or in the largest file that the system lets the process write.
        var isLackOfRoom: Bool { code & 0xFF == 13 || code == Self.unfinishedWrite }
        private static let unfinishedWrite: Int32 = 778

        /// Not SQLite's: the file was moved away while it was open.
        static let moved: Int32 = -1
        /// Not SQLite's: the file is of a newer version or of another program.
        static let foreign: Int32 = -2
        /// Damage that SQLite does not notice itself: its code for a malformed file.
        static func damage(_ message: String, file: String) -> SQLiteError {
            SQLiteError(code: 11, message: message, file: file)
        }
    }
#endif
