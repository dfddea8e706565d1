/// Guesses what was meant by a word that is not known.
enum Spelling {
    /// The candidate that is spelled most alike, if any is near enough to be meant.
    ///
    /// Dashes in front and case do not count. One mistake is forgiven, and another for every four letters. A word that
    /// only begins like a single candidate is taken for an abbreviation of it.
    static func nearest(to word: String, among candidates: [String]) -> String? {
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

    private static func core(of word: String) -> [Character] {
        Array(word.lowercased().drop { $0 == "-" })
    }

    /// How many letters to insert, delete, replace or swap with their neighbours to turn one word into the other.
    static func distance(_ first: [Character], _ second: [Character]) -> Int {
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
