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

/// The variants of an experiment, and the range of draws of each.
///
/// Ranges are ordered by variant name: the order of a dictionary differs between launches, and the result of a draw
/// must not.
package struct RolloutVariants: Sendable, Equatable {
    private struct Part: Sendable, Equatable {
        let name: String
        /// The largest draw in the variant's range.
        let end: Double
    }

    private let parts: [Part]
    /// The share of each variant, 0 to 1; empty if no variant has any weight.
    package let shares: [String: Double]
    /// All names in order, including variants without weight.
    package let names: [String]

    /// Divides the draws by weight. Negative weights count as 0.
    package init(weights: [String: Double]) {
        names = weights.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var weights = weights.mapValues { max($0, 0) }
        var total = weights.values.reduce(0, +)
        if !total.isFinite, weights.values.allSatisfy(\.isFinite) {
            // Scaling by a power of two changes no share. Only needed if the sum overflows.
            weights = weights.mapValues { $0 * 0x1p-64 }
            total = weights.values.reduce(0, +)
        }
        var (sum, parts, shares) = (0.0, [Part](), [String: Double]())
        for name in names where total > 0 && total.isFinite {
            let weight = weights[name] ?? 0
            sum += weight
            shares[name] = weight / total
            if weight > 0 { parts.append(Part(name: name, end: sum / total)) }
        }
        (self.parts, self.shares) = (parts, shares)
    }

    /// The variant of a draw, or nil if no variant has any weight.
    package func pick(_ number: Double) -> String? {
        // Draws beyond the last range, due to rounding, belong to the last variant.
        (parts.first { number <= $0.end } ?? parts.last)?.name
    }

    /// Whether there is a variant with a name, with or without weight.
    package func contains(_ name: String) -> Bool { names.contains(name) }
}

/// The random number and the variant of a device in an experiment.
package struct RolloutDraw: Sendable, Equatable {
    /// The variant's name, or nil if only the number is known.
    package var variant: String?
    /// Above 0 and up to 1; nil if only the variant is known. Draws stored by older versions of the vendor's library
    /// may be 0.
    package var number: Double?

    /// Creates a draw. A number outside 0 to 1 is ignored.
    package init(variant: String?, number: Double?) {
        self.variant = variant
        self.number = number.flatMap { (0...1).contains($0) ? $0 : nil }
    }

    /// One of a million numbers, 0.000001 to 1, from uniformly distributed bits.
    package static func number(from bits: UInt64) -> Double {
        Double(bits.multipliedFullWidth(by: 1_000_000).high + 1) / 1_000_000
    }
}
