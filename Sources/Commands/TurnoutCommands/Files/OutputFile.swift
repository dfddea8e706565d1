import TurnoutEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that a command writes as a whole.
enum OutputFile {
    /// Replaces the contents of a file, or creates it.
    ///
    /// A reader sees the old or the new contents, never a part. A file that has the contents already is not touched, so
    /// that builds that depend on it do not run again.
    static func write(_ bytes: [UInt8], to name: String) throws(CommandError) {
        var status = stat()
        let exists = lstat(name, &status) == 0
        // Links, pipes and devices are written in place: they must not be replaced.
        if exists, status.st_mode & S_IFMT != S_IFREG { return try fill(name, with: bytes) }
        if exists, try InputFile(name).readAll() == bytes { return }
        let temporary = name + ".\(getpid()).tmp"
        do throws(CommandError) {
            try fill(temporary, with: bytes)
            guard rename(temporary, name) == 0 else { throw error(name) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Whether there is a file, folder or link of a name.
    static func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat(name, &status) == 0
    }

    /// Whether a name is that of a folder, or of a link to one.
    static func isFolder(_ name: String) -> Bool {
        var status = stat()
        return stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a folder unless it exists. Its parent must exist.
    static func createFolder(_ name: String) throws(CommandError) {
        guard mkdir(name, 0o777) != 0, errno != EEXIST else { return }
        throw CommandError(
            "\(name): cannot be created: \(String(cString: strerror(errno)))",
            advice: "Check that the folder above exists, and its permissions.")
    }

    private static func fill(_ name: String, with bytes: [UInt8]) throws(CommandError) {
        let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw error(name) }
        defer { close(descriptor) }
        try put(bytes, on: descriptor, name)
    }

    private static func put(_ bytes: [UInt8], on descriptor: Int32, _ name: String) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error(name) }
            rest = rest.dropFirst(count)
        }
    }

    private static func error(_ name: String) -> CommandError {
        CommandError(
            "\(name): cannot be written: \(String(cString: strerror(errno)))",
            advice: "Check that the folder exists, its permissions, and the space on the disk.")
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
