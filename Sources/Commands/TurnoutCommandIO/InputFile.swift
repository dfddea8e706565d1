import LibC
package import TurnoutEngine
import TurnoutReports

/// A file that is read from front to back; `-` is standard input.
///
/// Foundation would do this too, but loading it takes longer than a small datafile's decisions.
package struct InputFile: ~Copyable {
    package let name: String
    /// The size in bytes of a regular file; nil for pipes.
    package let size: Int?
    private let descriptor: Int32

    /// Opens a file. With `isRegular`, a pipe is refused; otherwise it blocks the thread until its other end is open.
    package init(_ name: String, isRegular: Bool = false) throws(CommandError) {
        let descriptor = name == "-" ? 0 : open(name, O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0))
        guard descriptor >= 0 else { throw Self.error(name, "cannot be opened") }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile || !isRegular else {
            close(descriptor)
            throw CommandError("\(name): is no regular file")
        }
        self.name = name == "-" ? "standard input" : name
        self.descriptor = descriptor
        size = isFile ? Int(status.st_size) : nil
    }

    /// Whether a path leads to a file, and to no pipe, which would block the thread that opens it.
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    deinit { if descriptor > 0 { close(descriptor) } }

    /// Reads up to `count` bytes and appends them. Returns false at the end of the file.
    package func read(into bytes: inout [UInt8], upTo count: Int) throws(CommandError) -> Bool {
        var taken = -1
        // An array of its own starts without content, which one that grows would have to be filled with.
        let part = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat { taken = systemRead(descriptor, buffer.baseAddress, count) } while taken < 0 && errno == EINTR
            initialized = max(taken, 0)
        }
        guard taken >= 0 else { throw Self.error(name, "cannot be read") }
        if bytes.isEmpty { bytes = part } else { bytes += part }
        return taken > 0
    }

    /// Reads the rest of the file, up to a number of bytes.
    package consuming func readAll(
        upTo limit: Int = JSONLimits.standard.size,
        advice: String = "Files other than lists of users are read into memory, up to this limit."
    ) throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            guard max(bytes.count, size ?? 0) <= limit else {
                throw CommandError("\(name): has more than \(limit.grouped) bytes", advice: advice)
            }
            guard try read(into: &bytes, upTo: max((size ?? 0) + 1 - bytes.count, 1 << 16)) else { return bytes }
        }
    }

    private static func error(_ name: String, _ what: String) -> CommandError {
        let problem = String(cString: strerror(errno))
        let isInput = name == "standard input"
        return CommandError(
            "\(name): \(what): \(problem)",
            advice: isInput ? "Is standard input open, and a file or pipe?" : "Check the path and its permissions.")
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

extension InputFile {
    /// Reads the file as a datafile.
    ///
    /// - Parameter parse: Makes a value of the datafile's bytes.
    /// - Returns: The value.
    /// - Throws: `CommandError` with the name of the file, if it cannot be read or used.
    package consuming func readDatafile<Value>(
        _ parse: ([UInt8]) throws(DatafileError) -> Value
    ) throws(CommandError) -> Value {
        let name = name
        let bytes = try readAll()
        do throws(DatafileError) { return try parse(bytes) } catch { throw CommandError(error, in: name) }
    }
}

extension CommandError {
    /// The error for a datafile that cannot be used.
    package init(_ error: DatafileError, in file: String) {
        switch error {
        case .invalid(let error):
            self.init(error, in: file, advice: "Download the datafile again.")
        case .unsupportedVersion(let version):
            self.init(
                "\(file): $.version: version \"\(version)\" is not supported",
                advice: "Turnout reads datafiles of version 4.")
        }
    }
}

/// Folders, as the system lists them.
package enum Folder {
    /// The path of the current folder.
    package static var current: String {
        guard let path = realpath(".", nil) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// The names of the entries of a folder, sorted.
    package static func names(in folder: String) throws(CommandError) -> [String] {
        guard let directory = opendir(folder) else { throw .unreadable(folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    let capacity = MemoryLayout.size(ofValue: pointer.pointee)
                    return pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
                })
        }
        return names.sorted()
    }
}
