/// The properties of a user that filters check.
package struct RolloutUser: Sendable, Equatable {
    /// The language in lower case, such as `en`; nil if unknown.
    package let language: String?
    /// The country in lower case, such as `us`; nil if unknown.
    package let country: String?

    /// Creates a user from a country and a language such as `en-GB`, of which only the part before the first hyphen
    /// counts.
    package init(language: String?, country: String?) {
        self.language = language.map { String($0.prefix { $0 != "-" }).lowercased() }
        self.country = country?.lowercased()
    }
}
