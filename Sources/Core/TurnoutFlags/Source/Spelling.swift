/// Suggests a known word for a misspelled one.
package enum Spelling {
    /// The most similar candidate, if any is similar enough.
    ///
    /// Leading dashes and case are ignored. One mistake is allowed, and another for every four letters. A prefix of a
    /// single candidate counts as its abbreviation.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let word = core(of: word)
        guard !word.isEmpty, word.count < 100 else { return nil }
        let ranked = candidates.map { (name: $0, distance: distance(word, core(of: $0))) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= 1 + word.count / 4,
            best.distance < word.count
        {
            return best.name
        }
        let longer = candidates.filter { core(of: $0).starts(with: word) }
        return longer.count == 1 ? longer.first : nil
    }

    /// `Did you mean "checkout"?`, or nil if no candidate is similar enough.
    package static func suggestion(for word: String, among candidates: [String]) -> String? {
        nearest(to: word, among: candidates).map(question)
    }

    /// `Did you mean "checkout"?`, as all suggestions are spelled.
    package static func question(_ word: String) -> String { "Did you mean \"\(word)\"?" }

    private static func core(of word: String) -> [Character] {
        Array(word.lowercased().drop { $0 == "-" })
    }

    /// The number of insertions, deletions, replacements and swaps of adjacent letters that turn one word into the
    /// other.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let replaced = last[column] + (letter == other ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
