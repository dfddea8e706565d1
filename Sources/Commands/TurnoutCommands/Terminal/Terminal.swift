#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The properties of an output stream's destination.
package struct Terminal: Sendable, Equatable {
    /// Whether the destination is a terminal, not a file or a pipe.
    package let isTerminal: Bool
    /// The number of columns; 100 if unknown.
    package let width: Int
    /// Whether colors are requested and supported.
    package let hasColor: Bool

    /// The properties of a stream of this process.
    package init(_ stream: StandardStream) {
        self.init(isTerminal: isatty(stream.rawValue) == 1, windowWidth: Self.windowWidth(of: stream)) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    /// The properties derived from the window and the environment.
    ///
    /// `NO_COLOR` takes precedence and disables colors; then `CLICOLOR_FORCE` enables them everywhere.
    package init(isTerminal: Bool, windowWidth: Int?, environment: (String) -> String?) {
        let columns = environment("COLUMNS").flatMap { Int($0) }
        let isForced = !["", "0"].contains(environment("CLICOLOR_FORCE") ?? "")
        self.isTerminal = isTerminal
        self.width = [windowWidth, columns].lazy.compactMap(\.self).first { $0 > 0 } ?? 100
        self.hasColor =
            (environment("NO_COLOR") ?? "").isEmpty && (isForced || isTerminal && environment("TERM") != "dumb")
    }

    private static func windowWidth(of stream: StandardStream) -> Int? {
        var size = winsize()
        return ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : nil
    }
}

/// The two streams a process writes to.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Opens closed standard streams, so that no file gets their descriptors and is used as input or output. Reading
    /// and writing these streams fails afterwards.
    package static func reserve() {
        for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)] {
            // Opens the lowest free descriptor, which is this one.
            if fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", mode) }
        }
    }

    /// The system's message for the last failed write.
    package static var lastProblem: String { String(cString: strerror(errno)) }

    /// Writes the text without buffering.
    ///
    /// - Returns: Whether all of it was written; false if, for example, the disk is full.
    @discardableResult
    package func put(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Writes bytes without buffering.
    ///
    /// - Returns: Whether all of them were written.
    package func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = write(rawValue, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}
