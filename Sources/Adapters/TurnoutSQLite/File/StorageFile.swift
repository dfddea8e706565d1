import LibC

/// The database file and the files beside it: the operations that SQLite does not do.
struct StorageFile: Sendable {
    let directory: String
    /// Whether directory entries survive a power failure. SQLite syncs those of the files that it creates.
    var syncsNames = false
    var path: String { directory + "/turnout.sqlite" }

    /// Creates the file, readable by its owner only, unless it exists.
    func create() throws(SQLiteError) {
        try makeDirectory(directory)
        // An existing file is never opened: closing it would release the locks that SQLite has on it in this
        // process.
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

    /// Syncs the entries of a directory to the disk. Systems on which that fails do not need it.
    private func syncNames(in directory: String) {
        guard syncsNames else { return }
        let isRoot = directory.isEmpty && self.directory.hasPrefix("/")
        let file = open(isRoot ? "/" : directory.isEmpty ? "." : directory, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }

    /// Replaces a damaged file with a new one.
    func take(_ successor: StorageSuccessor) throws(SQLiteError) {
        guard rename(successor.path, path) == 0 else { throw failure("cannot be replaced by a new file") }
        syncNames(in: directory)
    }

    /// Calls `body` while other processes and storages cannot open or replace the file.
    ///
    /// - Throws: An error with SQLite's code 5 if another one holds the lock for longer than `timeout`.
    func alone<Result>(within timeout: Duration, _ body: () throws -> Result) throws -> Result {
        let file = open(path + "-lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("its lock file turnout.sqlite-lock cannot be opened") }
        // Closing does not unlock the file as long as a forked child has it open.
        defer {
            flock(file, LOCK_UN)
            close(file)
        }
        adoptOwner(of: path, for: file)
        try lock(file, within: timeout)
        return try body()
    }

    private func lock(_ file: Int32, within timeout: Duration) throws(SQLiteError) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var pause: UInt32 = 500
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw failure("its lock file turnout.sqlite-lock cannot be locked") }
            guard ContinuousClock.now < deadline else {
                throw SQLiteError(
                    code: SQLiteError.busy,
                    message: "another process has locked \(path)-lock for more than \(timeout); "
                        + "resume or end that process, which `fuser` or `lsof` names",
                    file: path)
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
    }

    /// Gives a new file the owner and mode of another one, if that exists and the process is permitted to: a file
    /// created by root must not lock the service out of its data.
    func adoptOwner(of other: String, for file: Int32) {
        var (model, status) = (stat(), stat())
        guard stat(other, &model) == 0, fstat(file, &status) == 0, model.st_mode & S_IFMT == S_IFREG else { return }
        if (model.st_uid, model.st_gid) != (status.st_uid, status.st_gid) {
            _ = fchown(file, model.st_uid, model.st_gid)
        }
        if model.st_mode & 0o777 != status.st_mode & 0o777 { fchmod(file, model.st_mode & 0o777) }
    }

    /// Distinguishes successive files with the same name; nil if there is no file.
    var identity: UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Whether the path is not a regular file, or the file is empty although its log is not.
    var isUnusable: Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        if status.st_mode & S_IFMT != S_IFREG { return true }
        return status.st_size == 0 && stat(path + "-wal", &status) == 0 && status.st_size > 0
    }

    /// Removes the files that were moved aside, and those that an unfinished replacement left.
    ///
    /// - Returns: The number of files that were moved aside.
    func removeDamaged() -> Int {
        for file in [successor, copy] { file.remove() }
        return DamagedFiles(of: path).removeAll()
    }

    /// The file that is built to replace a damaged one.
    var successor: StorageSuccessor { StorageSuccessor(file: self, ending: ".new") }

    /// The copy of a damaged file that is read.
    var copy: StorageSuccessor { StorageSuccessor(file: self, ending: ".copy") }

    func failure(_ what: String) -> SQLiteError {
        SQLiteError(code: 14, message: "\(what): \(String(cString: strerror(errno)))", file: path)
    }
}

/// A file that exists while a damaged one is replaced.
struct StorageSuccessor {
    let file: StorageFile
    let ending: String
    var path: String { file.path + ending }

    /// Creates an empty file with the owner and mode of the file to replace.
    func create() throws(SQLiteError) {
        remove()
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw file.failure("\(path) cannot be created") }
        file.adoptOwner(of: file.path, for: descriptor)
        close(descriptor)
    }

    func remove() { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
}
