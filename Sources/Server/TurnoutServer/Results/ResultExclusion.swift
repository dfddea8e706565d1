import TurnoutClient

/// Visitors whom results leave out, as the setting `results.exclude` names them.
package enum ResultExclusion: Sendable, Equatable {
    /// Visitors whose `$opt_user_agent` is that of a program. With `$opt_bot_filtering`, they are always left out.
    case bots
    /// Visitors who had an attribute with this value when they got a variation.
    case attribute(name: String, value: String)
    case user(String)
    /// The users of a list on this server.
    case segment(String)

    static let expectedText = "a list of bots, ATTRIBUTE=VALUE, user:ID and segment:NAME"

    /// Reads a text; nil if it has another form.
    package init?(_ text: String) {
        func rest(after prefix: String) -> String? {
            text.hasPrefix(prefix) && text != prefix ? String(text.dropFirst(prefix.count)) : nil
        }
        if text == "bots" {
            self = .bots
        } else if let id = rest(after: "user:") {
            self = .user(id)
        } else if let name = rest(after: "segment:") {
            self = .segment(name)
        } else if let place = text.firstIndex(of: "="), place > text.startIndex {
            self = .attribute(name: String(text[..<place]), value: String(text[text.index(after: place)...]))
        } else {
            return nil
        }
    }
}

extension [ResultExclusion] {
    /// The exclusions with the users of lists in the place of the lists. Blocks.
    ///
    /// - Throws: ``ResultError/unknownSegment(_:)``, or the error of the file.
    package func resolved(by lists: SegmentDatabase) throws -> [ResultExclusion] {
        try flatMap { exclusion -> [ResultExclusion] in
            guard case .segment(let name) = exclusion else { return [exclusion] }
            var (users, last): ([ResultExclusion], String) = ([], "")
            repeat {
                guard let page = try lists.users(of: name, after: last, limit: 1_000) else {
                    throw ResultError.unknownSegment(name)
                }
                users += page.map { .user($0) }
                last = page.last ?? ""
            } while !last.isEmpty
            return users
        }
    }
}

/// Why results cannot be computed.
package enum ResultError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `results.exclude` names a list that the server does not have.
    case unknownSegment(String)
    /// There are too many visitors for the memory, which is limited to a number of bytes.
    case tooLarge(experiment: String, limit: Int)

    package var description: String {
        switch self {
        case .unknownSegment(let name):
            "results.exclude names the list \"\(name)\", which this server does not have: upload it, or remove it there"
        case .tooLarge(let experiment, let limit):
            "experiment \(experiment) has so many visitors that its results need more than \(limit >> 20) MiB of "
                + "memory: export the events, and count them there"
        }
    }
}
