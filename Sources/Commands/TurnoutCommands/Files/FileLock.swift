import LibC
import TurnoutCommandIO

/// A lock for commands that read a file and then write it or a file derived from it. While one holds the lock, no other
/// reads contents that are about to be replaced.
///
/// The lock is on the file itself and leaves no other file. Only processes that use it too respect it. The process
/// releases it at exit at the latest.
enum FileLock {
    /// How long a command waits for others.
    private static let limit = Duration.seconds(30)

    /// Calls a function while this process has the lock on a file. Without a file, or on a file system without locks,
    /// the function is called without it.
    ///
    /// - Throws: `CommandError` if another process keeps the lock for 30 seconds, or the error of the function.
    static func whileHeld<Result>(on name: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = try acquire(name)
        defer { if descriptor >= 0 { close(descriptor) } }
        return try body()
    }

    /// Returns the descriptor of the locked file, or -1.
    private static func acquire(_ name: String) throws(CommandError) -> Int32 {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while true {
            // Opening a pipe would wait for its other end.
            guard name != "-", isFile(name) else { return -1 }
            let descriptor = open(name, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return -1 }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else { return descriptor }
                guard ContinuousClock.now < deadline else {
                    close(descriptor)
                    throw CommandError(
                        "\(name): another process of turnout has been changing it for 30 seconds; nothing was done",
                        advice: "Look for one that hangs or is stopped, end it, and try again.")
                }
                usleep(5_000)
            }
            if isCurrent(descriptor, name) { return descriptor }
            // Another process has replaced the file meanwhile, and the lock is on the old one.
            close(descriptor)
        }
    }

    private static func isFile(_ name: String) -> Bool {
        var status = stat()
        return stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func isCurrent(_ descriptor: Int32, _ name: String) -> Bool {
        var (opened, current) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, stat(name, &current) == 0 else { return false }
        return opened.st_ino == current.st_ino && opened.st_dev == current.st_dev
    }
}
