import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The few things that the standard library lacks. A program that uses Foundation anyway needs none of them.
enum System {
    /// The bytes of a file, or nil: it cannot be read.
    static func contents(ofFile path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return ferror(file) == 0 ? bytes : nil
    }

    /// Writes a text at once; `print` keeps what it writes to a pipe until there is a lot of it.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        let bytes = Array(text.utf8)
        var count = 0
        while count < bytes.count {
            let written = bytes[count...].withUnsafeBytes { writeOnce(descriptor, $0) }
            guard written > 0 else { return }
            count += written
        }
    }

    static func stop(_ problem: String) -> Never {
        write("shop-server: \(problem)\n", to: STDERR_FILENO)
        exit(1)
    }

    /// Calls a function when the system asks the program to end, as long as the result is kept.
    static func onTermination(_ body: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT].map { number in
            // The system's own answer would end the program at once.
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
