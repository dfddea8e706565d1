#if SQLite
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// The file on the disk and those beside it: what is done to them apart from what SQLite does.
    struct StorageFile: Sendable {
        let directory: String
        /// Whether the names of files outlast a power failure, too. SQLite sees to those of files that it makes itself.
        var syncsNames = false
        var path: String { directory + "/turnout.sqlite" }
        /// How many damaged files are kept.
        private static let keptCount = 3

        /// Sees to it that there is a file, which only its owner can read.
        func create() throws(SQLiteError) {
            try makeDirectory(directory)
            // Never opened otherwise: closing a file gives up the locks that SQLite has on it in this process.
            let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) } else if errno != EEXIST { throw failure("cannot be created") }
        }

        private func makeDirectory(_ directory: String) throws(SQLiteError) {
            let names = directory.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let parent = names.joined(separator: "/")
            if mkdir(directory, 0o700) == 0 { return syncNames(in: parent) }
            if errno == EEXIST { return }
            guard errno == ENOENT, names.contains(where: { !$0.isEmpty }) else {
                throw failure("the directory cannot be created")
            }
            try makeDirectory(parent)
            if mkdir(directory, 0o700) != 0, errno != EEXIST { throw failure("the directory cannot be created") }
            syncNames(in: parent)
        }

        /// Has what files of a directory are called written to the disk. Where that is not possible, it is not needed.
        private func syncNames(in directory: String) {
            guard syncsNames else { return }
            let isRoot = directory.isEmpty && self.directory.hasPrefix("/")
            let file = open(isRoot ? "/" : directory.isEmpty ? "." : directory, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            fsync(file)
            close(file)
        }

        /// Puts a new file where a damaged one was.
        func take(_ successor: StorageSuccessor) throws(SQLiteError) {
            guard rename(successor.path, path) == 0 else { throw failure("a new file cannot take its place") }
            syncNames(in: directory)
        }

        /// Calls `body` while nobody else opens or replaces the file.
        func alone<Result>(_ body: () throws -> Result) throws -> Result {
            let file = open(path + "-lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure("cannot be locked") }
            defer { close(file) }
            while flock(file, LOCK_EX) != 0 { if errno != EINTR { throw failure("cannot be locked") } }
            return try body()
        }

        /// Tells files apart that had the same name one after the other; nil: there is none.
        var identity: UInt64? {
            var status = stat()
            return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
        }

        /// Whether there is something else than a file, or one that lost its beginning while changes wait beside it.
        var isUnusable: Bool {
            var status = stat()
            guard stat(path, &status) == 0 else { return false }
            if status.st_mode & S_IFMT != S_IFREG { return true }
            return status.st_size == 0 && stat(path + "-wal", &status) == 0 && status.st_size > 0
        }

        /// Moves the file and what belongs to it aside, and returns its new name.
        func putAside() throws(SQLiteError) -> String {
            let numbers = asideNumbers()
            let name = aside((numbers.last ?? 0) + 1)
            // The file last: one without its changes is old, changes without their file destroy the next one.
            for ending in ["-wal", "-shm"] { rename(path + ending, name + ending) }
            guard rename(path, name) == 0 else { throw failure("damaged, and cannot be moved aside") }
            for number in numbers.dropLast(Self.keptCount - 1) {
                for ending in ["", "-wal", "-shm"] { unlink(aside(number) + ending) }
            }
            return name
        }

        private func aside(_ number: Int) -> String { path + ".damaged-\(number)" }

        /// The numbers of the files that were put aside, ascending.
        private func asideNumbers() -> [Int] {
            guard let list = opendir(directory) else { return [] }
            defer { closedir(list) }
            var numbers: [Int] = []
            while let entry = readdir(list) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name.hasPrefix("turnout.sqlite.damaged-") else { continue }
                if let number = Int(name.dropFirst("turnout.sqlite.damaged-".count)) { numbers.append(number) }
            }
            return numbers.sorted()
        }

        /// Where a new file is made before it takes the place of a damaged one.
        var successor: StorageSuccessor { StorageSuccessor(path: path + ".new") }

        func failure(_ what: String) -> SQLiteError {
            SQLiteError(code: 14, message: "\(what): \(String(cString: strerror(errno)))", file: path)
        }
    }

    /// A file in the making.
    struct StorageSuccessor {
        let path: String

        func create() {
            for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
            let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
    }
#endif
