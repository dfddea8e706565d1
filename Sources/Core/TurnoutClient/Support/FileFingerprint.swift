import LibC

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
