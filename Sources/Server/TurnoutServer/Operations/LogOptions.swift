package import TurnoutClient

/// Options of the server's log.
package struct LogOptions: Sendable, Equatable {
    /// The form of an entry.
    package enum Format: String, Sendable, CaseIterable {
        /// A line for people: `2026-11-25T07:30:00.123Z info listening port=8080`.
        case text
        /// A JSON object in a line, for collectors of logs.
        case json
    }

    /// The requests that are logged, at the level `info`.
    package enum Requests: String, Sendable, CaseIterable {
        case none
        /// Requests that failed with a status of 500 or more, or took longer than a second.
        case problems
        case all
    }

    /// The least severe level. Default: info.
    package var level = LogLevel.info
    /// The form of entries. Default: text.
    package var format = Format.text
    /// The requests that are logged. Default: problems.
    package var requests = Requests.problems

    package init() {}
}
