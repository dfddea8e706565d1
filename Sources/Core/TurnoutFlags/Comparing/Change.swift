/// A difference between two projects, in words.
package struct Change: Sendable, Hashable {
    /// What happened to a part of the project.
    package enum Kind: String, Sendable {
        /// The part is new.
        case added
        /// The part is gone.
        case removed
        /// The part has another key and kept its id.
        case renamed
        /// The part is different.
        case changed
    }

    /// What happened.
    package var kind: Kind
    /// The part, from the outside in: `["flag checkout", "experiment checkout_ab"]`.
    package var subject: [String]
    /// The difference: `traffic 10% → 25%`. Empty if the part as a whole was added or removed.
    package var detail: String
    /// The environments in which it is different; empty for all.
    package var environments: [String]

    /// Creates a change.
    package init(_ kind: Kind, _ subject: [String], _ detail: String = "", environments: [String] = []) {
        self.kind = kind
        self.subject = subject
        self.detail = detail
        self.environments = environments
    }

    /// `experiment checkout_ab: traffic 10% → 25% (production)`, without the outermost part of the subject.
    package var sentence: String {
        let inner = subject.dropFirst().joined(separator: ", ")
        let what = kind == .changed || kind == .renamed ? detail : detail.isEmpty ? "\(kind)" : "\(kind): \(detail)"
        let place = environments.isEmpty ? "" : " (\(environments.joined(separator: ", ")))"
        return (inner.isEmpty ? what : "\(inner): \(what)") + place
    }
}
