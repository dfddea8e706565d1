import LibC
package import TurnoutCommandIO

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

extension Terminal {
    /// The width in which sentences are wrapped; nil for files and pipes, where each is a line.
    var lineWidth: Int? { isTerminal ? width : nil }
}
