/// What filters ask about a user.
package struct RolloutUser: Sendable, Equatable {
    /// The language in lower case, such as `en`; nil: unknown.
    package let language: String?
    /// The country in lower case, such as `us`; nil: unknown.
    package let country: String?

    /// Takes a language such as `en-GB`, of which what comes after the first hyphen does not count, and a country.
    package init(language: String?, country: String?) {
        self.language = language.map { String($0.prefix { $0 != "-" }).lowercased() }
        self.country = country?.lowercased()
    }
}
