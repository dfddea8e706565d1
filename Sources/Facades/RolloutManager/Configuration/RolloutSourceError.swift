import Foundation
import TurnoutClient

/// Why a configuration cannot be used. What was there before stays.
public enum RolloutSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be read; in the system's words.
    case unreadable(String)
    /// The server answered with another status than 200 and 304; and how long it wants to be left alone, if it said so.
    case status(Int, retryAfter: Duration? = nil)
    /// The server answered that nothing has changed since a configuration that it was not asked about.
    case unchangedSinceNothing
    /// The configuration is larger than is accepted: its size, as far as it was read, and the limit, in bytes.
    case tooLarge(Int, limit: Int)
    /// It is no property list and no JSON, or no dictionary; what is wrong and where.
    case unusable(String)

    /// The error in words.
    public var description: String {
        switch self {
        case .unreadable(let problem): "the configuration cannot be read: \(problem)"
        case .status(let status, _): "the server of the configuration answered \(status)"
        case .unchangedSinceNothing: "the server answered 304, but there is no copy that could be unchanged"
        case .tooLarge(let size, let limit): "the configuration has \(size) bytes or more; \(limit) are accepted"
        case .unusable(let problem): "the configuration cannot be used: \(problem)"
        }
    }

    /// How long the server wants to be left alone, or nil: it does not say.
    var retryAfter: Duration? { if case .status(_, let time) = self { time } else { nil } }

    /// The contents of a file.
    static func contents(ofFile path: String, limit: Int) throws(RolloutSourceError) -> [UInt8] {
        let contents: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            // Not all of it: some files have no end.
            contents = try file.read(upToCount: limit + 1) ?? Data()
        } catch { throw .unreadable(error.localizedDescription) }
        guard contents.count <= limit else { throw .tooLarge(contents.count, limit: limit) }
        return Array(contents)
    }
}

extension RolloutSourceError: PrintableError {}
