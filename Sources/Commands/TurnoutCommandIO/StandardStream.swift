import LibC

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

    /// The system's message for the last failed call, such as a write.
    package static var lastProblem: String { String(cString: strerror(errno)) }

    /// Writes the text without buffering.
    ///
    /// - Returns: Whether all of it was written; false if, for example, the disk is full.
    @discardableResult
    package func put(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Writes the text without buffering. The error says what it is.
    package func print(_ text: String, _ what: String) throws(CommandError) {
        guard put(text) else { throw .unwritten(what) }
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
