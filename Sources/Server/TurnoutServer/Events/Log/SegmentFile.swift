import LibC

/// An open segment of the log. The only file of the log's that calls the system.
final class SegmentFile {
    private let descriptor: Int32
    let path: String

    private init(_ descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // A program that is being started has the descriptor, too, for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Creates a segment, readable by its owner only.
    static func create(_ path: String) throws(EventLogError) -> SegmentFile {
        try SegmentFile(path, O_CREAT | O_TRUNC | O_RDWR, "create")
    }

    /// Opens a segment to append to it.
    static func open(_ path: String) throws(EventLogError) -> SegmentFile {
        try SegmentFile(path, O_RDWR, "open")
    }

    /// Opens a segment to read it; nil if it does not exist any more.
    static func read(_ path: String) throws(EventLogError) -> SegmentFile? {
        do { return try SegmentFile(path, O_RDONLY, "open") } catch {
            if errno == ENOENT { return nil }
            throw error
        }
    }

    /// Replaces a file, or creates it, so that all of its content is on the disk before it has the name.
    static func replace(_ path: String, with content: [UInt8]) throws(EventLogError) {
        do throws(EventLogError) {
            let file = try create(path + ".new")
            try file.write(content, at: 0)
            try file.synchronize()
            try SystemCall.move(path + ".new", to: path)
        } catch {
            // Frees the space on a full disk.
            SystemCall.remove(path + ".new")
            throw error
        }
    }

    private convenience init(_ path: String, _ flags: Int32, _ what: String) throws(EventLogError) {
        let descriptor = LibC.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCall.failure(what, path) }
        self.init(descriptor, path: path)
    }

    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether the file still has its name: whether it, or its folder, was neither deleted nor replaced.
    var isInPlace: Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Reads up to `count` bytes.
    func bytes(at place: Int, count: Int) throws(EventLogError) -> [UInt8] {
        var read = 0
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, initialized in
            while read < count, let base = buffer.baseAddress {
                let length = pread(descriptor, base + read, count - read, off_t(place + read))
                if length < 0, errno == EINTR { continue }
                guard length > 0 else {
                    code = length < 0 ? errno : 0
                    break
                }
                read += length
            }
            initialized = read
        }
        guard code == 0 else { throw SystemCall.failure("read", path, code) }
        return bytes
    }

    /// Writes bytes at a place.
    func write(_ bytes: [UInt8], at place: Int) throws(EventLogError) {
        var written = 0
        let code = bytes.withUnsafeBytes { buffer -> Int32 in
            while written < buffer.count, let base = buffer.baseAddress {
                let length = pwrite(descriptor, base + written, buffer.count - written, off_t(place + written))
                if length < 0, errno == EINTR { continue }
                guard length > 0 else { return errno }
                written += length
            }
            return 0
        }
        guard code == 0 else { throw SystemCall.failure("write", path, code) }
    }

    /// Waits until everything written is on the disk.
    func synchronize() throws(EventLogError) {
        #if canImport(Darwin)
            let result = fcntl(descriptor, F_FULLFSYNC)
        #else
            let result = fdatasync(descriptor)
        #endif
        guard result == 0 else { throw SystemCall.failure("sync", path) }
    }

    /// Removes everything after a place. Returns whether that succeeded.
    func truncate(to size: Int) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

    /// Gives the file the time of another one's last change.
    func takeModificationTime(of other: SegmentFile) throws(EventLogError) {
        var status = stat()
        guard fstat(other.descriptor, &status) == 0 else { throw SystemCall.failure("read", other.path) }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        let result = [time, time].withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
        guard result == 0 else { throw SystemCall.failure("set the time of", path) }
    }

    /// Locks the file for this process until it is closed. Returns false if another process has locked it.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}

/// Operations on the names of files.
enum SystemCall {
    /// The names in a directory; empty if it cannot be read.
    static func names(in directory: String) -> [String] {
        guard let list = opendir(directory) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// The size of a file; 0 if there is none.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// When a file was last written, in milliseconds since 1970; nil if there is none.
    static func modificationTime(of path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            return Int64(status.st_mtimespec.tv_sec) * 1_000
        #else
            // The seconds. Beside `CServer`, the compiler finds no members of `timespec` in a static build.
            return withUnsafeBytes(of: status.st_mtim) { Int64($0.load(as: time_t.self)) * 1_000 }
        #endif
    }

    /// The number that distinguishes successive files with the same name; nil if there is none.
    static func number(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The size of the disk of a folder, and its bytes that the process may still write; nil if there is no folder.
    static func room(for folder: String) -> (size: Double, available: Double)? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let block = Double(status.f_frsize)
        return (Double(status.f_blocks) * block, Double(status.f_bavail) * block)
    }

    /// Whether there is a file.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Creates a directory and those above it, unless it exists.
    static func makeDirectory(_ path: String) throws(EventLogError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let code = errno
        let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard code == ENOENT, !parent.isEmpty else { throw failure("create", path, code) }
        try makeDirectory(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("create", path) }
    }

    /// Syncs the names in a directory to the disk. Systems on which that fails do not need it.
    static func synchronizeNames(in directory: String) {
        guard let file = try? SegmentFile.read(directory) else { return }
        try? file.synchronize()
    }

    static func remove(_ path: String) { unlink(path) }

    /// Gives a file another name, and replaces the one that had it.
    static func move(_ path: String, to other: String) throws(EventLogError) {
        guard rename(path, other) == 0 else { throw failure("rename", path) }
    }

    static func failure(_ what: String, _ path: String, _ code: Int32 = errno) -> EventLogError {
        .disk("cannot \(what) \(path): \(String(cString: strerror(code)))")
    }
}
