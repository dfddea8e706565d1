/// A difference between two projects, in words.
package struct ProjectChange: Sendable, Hashable {
    /// The kind of a change to a part of the project.
    package enum Kind: String, Sendable {
        case added
        case removed
        /// The part has another key and kept its id.
        case renamed
        case changed
    }

    /// The kind of the change.
    package var kind: Kind
    /// The part, from the outside in: `["flag checkout", "experiment checkout_ab"]`.
    package var subject: [String]
    /// The difference: `traffic 10% → 25%`. What a part does that was added; empty if one was removed.
    package var detail: String
    /// The environments in which it is different; empty for all.
    package var environments: [String]

    package init(_ kind: Kind, _ subject: [String], _ detail: String = "", environments: [String] = []) {
        self.kind = kind
        self.subject = subject
        self.detail = detail
        self.environments = environments
    }

    /// `experiment checkout_ab: traffic 10% → 25% (production)`, without the outermost part of the subject. The
    /// sentence of a renamed part has both names: `variation large is now named big`.
    package var sentence: String {
        let place = environments.isEmpty ? "" : " (\(environments.joined(separator: ", ")))"
        let inner = (kind == .renamed ? subject.dropFirst().dropLast() : subject.dropFirst()).joined(separator: ", ")
        switch kind {
        case .changed, .renamed: return (inner.isEmpty ? "" : inner + ": ") + detail + place
        case .added, .removed:
            return (inner.isEmpty ? "" : inner + " ") + "\(kind)\(place)" + (detail.isEmpty ? "" : ": " + detail)
        }
    }
}
