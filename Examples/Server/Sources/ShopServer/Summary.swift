import Synchronization
import TurnoutClient

/// Counts the notifications of a client, per datafile.
final class Summary: Sendable {
    private struct Chapter {
        let title: String
        var conversions = 0
        /// Counts by flag, then by variation.
        var decisions: [String: [String: Int]] = [:]
    }

    private let chapters = Mutex([Chapter(title: "the first datafile")])

    /// Called by the client for one notification at a time, not on the deciding threads.
    func add(_ notification: ClientNotification) {
        chapters.withLock { chapters in
            let last = chapters.count - 1
            switch notification {
            case .decision(let decision, _):
                let variation = decision.variationKey ?? "nothing"
                chapters[last].decisions[decision.flagKey, default: [:]][variation, default: 0] += 1
            case .conversion: chapters[last].conversions += 1
            case .datafileChange(let project): chapters.append(Chapter(title: "revision \(project.revision)"))
            case .impression, .stalenessChange: break
            }
        }
    }

    var text: String { chapters.withLock { $0 }.map(Self.text).joined() }

    private static func text(_ chapter: Chapter) -> String {
        var text = "\(chapter.title)\n"
        for (flag, variations) in chapter.decisions.sorted(by: { $0.key < $1.key }) {
            let total = variations.values.reduce(0, +)
            let shares = variations.sorted { $0.key < $1.key }.map { "\($0.key) \((200 * $0.value / total + 1) / 2) %" }
            text += "  \(flag): \(total) decisions, \(shares.joined(separator: ", "))\n"
        }
        return text + "  \(chapter.conversions) conversions\n"
    }
}
