extension User: CustomStringConvertible {
    /// The names of the user's attributes: `user with attributes country, orders`. The id and all values may be
    /// personal and are left out, even where Swift prints a user inside another value.
    public var description: String { description(includingPersonalData: false) }

    /// The user, with the id and the values on request:
    ///
    /// ```text
    /// user "ada" with attributes country=US, orders=12
    /// ```
    ///
    /// Do not write that to logs that others read.
    public func description(includingPersonalData isIncluded: Bool) -> String {
        func listed(_ names: some Collection<String>, _ noun: String) -> String? {
            guard !names.isEmpty else { return nil }
            return noun + (isIncluded ? "s " + names.sorted().joined(separator: ", ") : "s: \(names.count)")
        }
        let forced = forcedDecisions.map { $0.flag + ($0.rule.map { "/\($0)" } ?? "") + "=" + $1 }
        let parts = [
            attributes.isEmpty ? nil : "attributes " + attributes.description(includingPersonalData: isIncluded),
            listed(segments, "segment"), listed(forced, "forced decision"),
            listed(forcedVariations.map { "\($0)=\($1)" }, "forced variation"),
        ].compactMap(\.self)
        return "user" + (isIncluded ? " \(id.debugDescription)" : "")
            + (parts.isEmpty ? "" : " with " + parts.joined(separator: "; "))
    }
}
