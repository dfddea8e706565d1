/// A valid experiment: its filters, and the variant for each draw.
package struct RolloutExperiment: Sendable, Equatable {
    /// Whether users keep their variant when weights change.
    package var isSticky = false
    /// The supported countries, in lower case; nil for all.
    package var countries: Set<String>?
    /// The supported languages, in lower case; nil for all.
    package var languages: Set<String>?
    /// The variants and their weights.
    package var variants: RolloutVariants

    /// Creates an experiment for all users that is not sticky.
    package init(variants: RolloutVariants) { self.variants = variants }

    /// Whether the filters admit a user. A filter excludes users whose country or language is unknown.
    package func admits(_ user: RolloutUser) -> Bool {
        func passes(_ value: String?, _ list: Set<String>?) -> Bool {
            guard let list else { return true }
            return value.map { list.contains($0) } ?? false
        }
        return passes(user.language, languages) && passes(user.country, countries)
    }

    /// What the filters check, but is unknown of a user: `language`, `country`.
    package func unknownFilters(for user: RolloutUser) -> [String] {
        (languages != nil && user.language == nil ? ["language"] : [])
            + (countries != nil && user.country == nil ? ["country"] : [])
    }

    /// Decides for a device.
    ///
    /// - Parameters:
    ///   - known: The stored draw of the device in this experiment, or nil.
    ///   - number: Draws a number. Called if none is stored and one is needed.
    /// - Returns: The draw of the device, which should be stored; nil if no variant has any weight.
    package func decide(_ known: RolloutDraw?, drawing number: () -> Double) -> RolloutDraw? {
        if isSticky, let known, let variant = known.variant, variants.contains(variant) { return known }
        let number = known?.number ?? number()
        return variants.pick(number).map { RolloutDraw(variant: $0, number: number) }
    }
}

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
