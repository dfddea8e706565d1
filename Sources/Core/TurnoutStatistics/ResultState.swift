/// What can be said of an experiment.
package enum ResultState: Sendable, Equatable {
    /// There are no visitors, or nothing has happened that a metric counts.
    case noData
    /// Visitors were not divided as planned, so that arms cannot be compared.
    case ratioIsOff(pValue: Double)
    /// The first arm with fewer visitors than a comparison needs.
    case notEnough(visitors: Int, needed: Int, arm: Int)
    /// Later visitors contradict what was shown of earlier ones.
    case effectHasChanged
    case measured(Look)

    /// The state of a metric.
    ///
    /// - Parameters:
    ///   - visitors: The number of visitors by arm.
    ///   - ratio: The last p-value of the sequential ``SampleRatioTest``; nil without a planned split.
    ///   - look: The last look at the metric.
    package init(visitors: [Int], ratio: Double?, look: Look?) {
        let needed = MetricHistory.minimumVisitors
        if visitors.allSatisfy({ $0 == 0 }) {
            self = .noData
        } else if let ratio, ratio < SampleRatioTest.alarm {
            self = .ratioIsOff(pValue: ratio)
        } else if let arm = visitors.firstIndex(where: { $0 < needed }) {
            self = .notEnough(visitors: visitors[arm], needed: needed, arm: arm)
        } else if let look {
            self = look.interval == nil ? .effectHasChanged : .measured(look)
        } else {
            self = .noData
        }
    }
}
