/// An experiment that can be decided: who takes part, and which variant a draw gives.
package struct RolloutExperiment: Sendable, Equatable {
    /// Whether users keep their variant when weights change.
    package var isSticky = false
    /// The countries that take part, in lower case; nil: all of them.
    package var countries: Set<String>?
    /// The languages that take part, in lower case; nil: all of them.
    package var languages: Set<String>?
    /// The variants and their weights.
    package var variants: RolloutVariants

    /// Creates an experiment for everybody. Not sticky.
    package init(variants: RolloutVariants) { self.variants = variants }

    /// Whether the filters let a user in. Of whom the country or language is unknown, no filter for it does.
    package func admits(_ user: RolloutUser) -> Bool {
        func passes(_ value: String?, _ list: Set<String>?) -> Bool {
            guard let list else { return true }
            return value.map { list.contains($0) } ?? false
        }
        return passes(user.language, languages) && passes(user.country, countries)
    }

    /// Decides for a device.
    ///
    /// - Parameters:
    ///   - known: What is kept of the device in this experiment; nil: nothing.
    ///   - number: Draws a number. Called if none is kept and one is needed.
    /// - Returns: What the device gets and what should be kept of it from now on; nil: no variant has any weight.
    package func decide(_ known: RolloutDraw?, drawing number: () -> Double) -> RolloutDraw? {
        if isSticky, let known, let variant = known.variant, variants.contains(variant) { return known }
        let number = known?.number ?? number()
        return variants.pick(number).map { RolloutDraw(variant: $0, number: number) }
    }
}
