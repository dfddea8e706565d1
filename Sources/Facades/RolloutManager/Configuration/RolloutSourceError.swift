import Foundation
import TurnoutClient

/// An error while loading a configuration. The current configuration stays in use.
public enum RolloutSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be read. Contains the system's error message.
    case unreadable(String)
    /// The server responded with a status other than 200 and 304. Contains the back-off that it asks for, if any.
    case status(Int, retryAfter: Duration? = nil)
    /// The server responded with 304, not modified, to a request without validators.
    case unexpectedNotModified
    /// The configuration is too large. Contains its size, as far as it was read, and the limit, in bytes.
    case tooLarge(Int, limit: Int)
    /// The contents are neither a property list nor JSON, or not a dictionary. Contains the problem and its position.
    case unusable(String)

    /// The error message.
    public var description: String {
        switch self {
        case .unreadable(let problem): "the configuration file cannot be read: \(problem)"
        case .status(let status, _): "the server of the configuration responded with HTTP status \(status)"
        case .unexpectedNotModified:
            "the server of the configuration responded with 304, not modified, but there is no earlier copy"
        case .tooLarge(let size, let limit):
            "the configuration has \(size) bytes or more; the limit, maximumSize, is \(limit)"
        case .unusable(let problem): "the configuration cannot be used: \(problem)"
        }
    }

    /// The back-off that the server asks for, or nil if it does not specify one.
    var retryAfter: Duration? { if case .status(_, let time) = self { time } else { nil } }

    /// The contents of a file.
    static func contents(ofFile path: String, limit: Int) throws(RolloutSourceError) -> [UInt8] {
        let contents: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            // Limited, because some files are endless.
            contents = try file.read(upToCount: limit + 1) ?? Data()
        } catch { throw .unreadable(error.localizedDescription) }
        guard contents.count <= limit else { throw .tooLarge(contents.count, limit: limit) }
        return Array(contents)
    }
}

extension RolloutSourceError: PrintableError {}
