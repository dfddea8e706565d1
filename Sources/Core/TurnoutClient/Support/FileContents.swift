import LibC

/// Reads whole files, without Foundation.
package enum FileContents {
    /// The bytes of a file.
    ///
    /// - Throws: ``FileError`` with the system's reason.
    package static func read(_ path: String) throws(FileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileError(path: path, code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { readOnce(file, $0) }
            let code = errno
            if count == 0 { return bytes }
            if count > 0 { bytes += buffer[..<count] } else if code != EINTR { throw FileError(path: path, code: code) }
        }
    }

    private static func readOnce(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        LibC.read(file, buffer.baseAddress, buffer.count)
    }
}

/// Why a file could not be read.
public struct FileError: Error, Sendable, Equatable {
    /// The path, as the caller gave it.
    public let path: String
    /// The system's error number, such as `ENOENT`.
    public let code: Int32

    /// Creates the error of a call of the system, whose `errno` is the code.
    public init(path: String, code: Int32) {
        self.path = path
        self.code = code
    }
}

extension FileError: PrintableError {
    /// The system's reason: `No such file or directory`. For a missing file with a relative path, the directory that
    /// the path starts from follows.
    public var description: String {
        let reason = String(cString: strerror(code))
        guard code == ENOENT, !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return reason }
        defer { free(directory) }
        return "\(reason) in \(String(cString: directory))"
    }
}

/// The state of a file, to notice that it was changed or replaced.
package struct FileFingerprint: Sendable, Equatable {
    package var path: String
    /// The number of the file in its file system; 0 if there is no file.
    package var node: UInt64
    package var size: Int64
    /// The time of the last change of the contents or the metadata (`st_ctime`) in nanoseconds since 1970. `cp -p`,
    /// `rsync` and `tar` can restore the modification time; they cannot set this one.
    package var statusChangeTime: Int64

    package init(path: String, node: UInt64, size: Int64, statusChangeTime: Int64) {
        self.path = path
        self.node = node
        self.size = size
        self.statusChangeTime = statusChangeTime
    }

    /// Reads the state of a file or of what a symbolic link refers to. A missing file has a fingerprint, too.
    package init(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self.init(path: path, node: 0, size: 0, statusChangeTime: 0)
            return
        }
        #if canImport(Darwin)
            let time = status.st_ctimespec
        #else
            let time = status.st_ctim
        #endif
        self.init(
            path: path, node: UInt64(status.st_ino), size: Int64(status.st_size),
            statusChangeTime: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
