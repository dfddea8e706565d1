#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is known about the place where a stream of text ends up.
package struct Terminal: Sendable, Equatable {
    /// Whether a person watches, not a file or another program.
    package let isTerminal: Bool
    /// The columns of a line; where nobody says: 100.
    package let width: Int
    /// Whether colours are wanted and understood.
    package let hasColor: Bool

    /// The facts about a stream of this process.
    package init(_ stream: StandardStream) {
        self.init(isTerminal: isatty(stream.rawValue) == 1, windowWidth: Self.windowWidth(of: stream)) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    /// The facts as they follow from what the system says.
    ///
    /// `NO_COLOR` has the last word: who sets it never wants colours. Then `CLICOLOR_FORCE` wants them everywhere.
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

    /// Writes the text at once, past all buffers.
    ///
    /// - Returns: Whether all of it was taken; a full disk takes less.
    @discardableResult
    package func put(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Writes bytes at once, past all buffers.
    ///
    /// - Returns: Whether all of them were taken.
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
