extension SourceFile {
    /// The conflict in a text that git marked; nil if there is none.
    ///
    /// - Parameter isUnreadable: Whether the text cannot be read, so that a single marker is enough. Otherwise one
    ///   needs the markers of both ends: in YAML, they may read as if they were text in a list of several lines.
    /// - Returns: An error at the first marker.
    /// - Complexity: O(n) for n lines.
    package func conflict(isUnreadable: Bool) -> Diagnostic? {
        var starts: [Int] = []
        var lastEnd: Int?
        for (index, start) in lineStarts.enumerated() {
            if bytes[start...].isMarker("<<<<<<<") { starts.append(index + 1) }
            if bytes[start...].isMarker(">>>>>>>") { lastEnd = index + 1 }
        }
        guard let first = starts.first ?? lastEnd, isUnreadable || !starts.isEmpty && lastEnd != nil else { return nil }
        let places = starts.count > 1 ? "\(starts.count) unresolved conflicts" : "an unresolved conflict"
        return Diagnostic(
            .error, SyntaxProblem.conflictMarkers.rawValue,
            "the file has \(places) that git marked with <<<<<<<, ======= and >>>>>>>",
            advice: "Edit the text between the markers as needed, delete the lines of the markers, and compile again.",
            at: SourcePosition(line: first, column: 1))
    }
}

extension [UInt8].SubSequence {
    /// Whether a line is a marker: seven characters, and a space or the end of the line after them.
    fileprivate func isMarker(_ marker: String) -> Bool {
        guard starts(with: marker.utf8) else { return false }
        let next = dropFirst(marker.utf8.count).first
        return next == nil || next == 0x20 || next == 0x0A || next == 0x0D
    }
}
