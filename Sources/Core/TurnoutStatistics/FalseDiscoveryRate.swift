/// The correction for several metrics: which share of those that are called an effect may be none.
package enum FalseDiscoveryRate {
    /// The adjusted p-values, in the same order (Y. Benjamini, Y. Hochberg: *Controlling the False Discovery Rate*,
    /// Journal of the Royal Statistical Society B 57 (1995), pages 289–300). What has an adjusted value of at most the
    /// rate is called an effect. With always valid p-values, this holds whenever one looks.
    package static func adjusted(_ pValues: [Double]) -> [Double] {
        var adjusted = pValues
        var smallest = 1.0
        let descending = pValues.indices.sorted { pValues[$0] > pValues[$1] }
        for (index, position) in descending.enumerated() {
            smallest = min(smallest, pValues[position] * Double(pValues.count) / Double(pValues.count - index))
            adjusted[position] = smallest
        }
        return adjusted
    }
}
