import Dispatch
import TurnoutClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Functions that the standard library lacks. A program with Foundation needs none of them.
enum System {
    /// The bytes of a file.
    static func contents(ofFile path: String) throws(FileError) -> [UInt8] {
        guard let file = fopen(path, "r") else { throw FileError(path: path, code: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        guard ferror(file) == 0 else { throw FileError(path: path, code: errno) }
        return bytes
    }

    /// Writes a text immediately; `print` buffers its output to a pipe.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        let bytes = Array(text.utf8)
        var count = 0
        while count < bytes.count {
            let written = bytes[count...].withUnsafeBytes { writeOnce(descriptor, $0) }
            guard written > 0 else { return }
            count += written
        }
    }

    static func stop(_ problem: String, status: Int32 = 1) -> Never {
        write("shop-server: \(problem)\n", to: STDERR_FILENO)
        exit(status)
    }

    /// Calls a function when the system asks the program to end, while the result is retained.
    static func onTermination(_ body: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT].map { number in
            // By default the signal would end the program at once.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { @Sendable in body() }
            source.resume()
            return source
        }
    }
}

private func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
