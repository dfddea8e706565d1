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

    init(path: String, code: Int32) {
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
