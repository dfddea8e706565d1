/// The difference between two texts, line by line, as a patch in git's format.
struct LinePatch {
    private typealias Line = (mark: String, text: ArraySlice<UInt8>)

    /// The lines around a change that a patch repeats.
    private static let context = 3

    /// The lines of both texts: those that only one has are marked.
    private var lines: [Line] = []

    init(from old: [UInt8], to new: [UInt8]) {
        let (old, new) = (Self.lines(of: old), Self.lines(of: new))
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let place, _, _): removed.insert(place)
            case .insert(let place, _, _): inserted.insert(place)
            }
        }
        var (oldPlace, newPlace) = (0, 0)
        while oldPlace < old.count || newPlace < new.count {
            let mark = removed.contains(oldPlace) ? "-" : inserted.contains(newPlace) ? "+" : " "
            lines.append((mark, mark == "+" ? new[newPlace] : old[oldPlace]))
            if mark != "+" { oldPlace += 1 }
            if mark != "-" { newPlace += 1 }
        }
    }

    private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        var (lines, rest) = ([ArraySlice<UInt8>](), text[...])
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            lines.append(rest[..<end])
            rest = rest[end...]
        }
        return lines
    }

    /// The patch of a file with a path; empty if the texts are equal.
    func text(for path: String) -> String {
        var hunks: [Range<Int>] = []
        for place in lines.indices where lines[place].mark != " " {
            let around = max(place - Self.context, 0)..<min(place + Self.context + 1, lines.count)
            if let last = hunks.last, last.upperBound >= around.lowerBound {
                hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
            } else {
                hunks.append(around)
            }
        }
        let head = "diff --git a/\(path) b/\(path)\n--- a/\(path)\n+++ b/\(path)\n"
        return hunks.isEmpty ? "" : head + hunks.map(text).joined()
    }

    private func text(of hunk: Range<Int>) -> String {
        /// The first line and the number of lines of the hunk in one of the texts, without the lines of the other.
        func range(without mark: String) -> String {
            let (before, count) = (
                lines[..<hunk.lowerBound].count { $0.mark != mark }, lines[hunk].count { $0.mark != mark }
            )
            return "\(count > 0 ? before + 1 : before),\(count)"
        }
        let head = "@@ -\(range(without: "+")) +\(range(without: "-")) @@\n"
        return lines[hunk].reduce(into: head) { text, line in
            text += line.mark + String(decoding: line.text, as: UTF8.self)
            if line.text.last != 0x0A { text += "\n\\ No newline at end of file\n" }
        }
    }
}
