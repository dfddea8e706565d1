import TurnoutCodeGeneration
import TurnoutCommandIO

/// Compares generated code with the code in a file, flag by flag.
package enum GeneratedFile {
    /// The difference between a file and the code that would be generated today; nil if they are equal.
    ///
    /// `checkout was removed, dark_mode changed, search was added`; of many flags, the first 20.
    package static func difference(between file: String, and current: String) -> String? {
        guard file != current else { return nil }
        let (old, new) = (blocks(of: file), blocks(of: current))
        var changes: [String] = []
        for flag in Set(old.keys).union(new.keys).sorted() where !flag.isEmpty {
            switch (old[flag], new[flag]) {
            case (_, nil): changes.append("\(flag) was removed")
            case (nil, _): changes.append("\(flag) was added")
            case (let before, let after): if before != after { changes.append("\(flag) changed") }
            }
        }
        guard !changes.isEmpty else { return "the code outside of the flags changed" }
        let more = changes.count > limit ? [(changes.count - limit).grouped + " more"] : []
        return (changes.prefix(limit) + more).joined(separator: ", ")
    }

    private static let limit = 20

    /// The lines of each flag by its mark, and those before the first one under the empty key.
    private static func blocks(of text: String) -> [String: [Substring]] {
        let start = SwiftFlags.mark(of: "")
        var flag = ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).reduce(into: [:]) { blocks, line in
            if line.hasPrefix(start) { flag = String(line.dropFirst(start.count)) }
            blocks[flag, default: []].append(line)
        }
    }
}
