/// The metrics of a client at one time, for any monitoring system.
///
/// ```swift
/// let text = client.metrics.prometheus()
/// ```
///
/// Names, units and labels follow the conventions of Prometheus. Labels contain keys and revisions of the datafile, but
/// no user data.
public struct MetricsSnapshot: Sendable, Equatable {
    /// One metric with all its values.
    public struct Metric: Sendable, Equatable {
        /// How values change.
        public enum Kind: String, Sendable {
            /// The value only grows, and starts at zero with the client.
            case counter
            /// The value grows and falls.
            case gauge
        }

        /// The name, such as `turnout_events_delivered_total`. Ends with its unit, and that of a counter with `_total`.
        public let name: String
        /// One sentence about the meaning.
        public let help: String
        /// How values change.
        public let kind: Kind
        /// The values, each with different labels.
        public internal(set) var values: [Value]
    }

    /// A value and its labels.
    public struct Value: Sendable, Equatable {
        /// The labels, as pairs of a name and a value in a fixed order.
        public internal(set) var labels: [Label]
        /// The value.
        public let value: Double
    }

    /// A label of a value.
    public struct Label: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The value, any string.
        public let value: String

        /// Creates a label.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The metrics, in a fixed order. Metrics without values, such as the age of a missing datafile, are left out.
    public private(set) var metrics: [Metric] = []

    package init() {}

    /// A copy whose values have further labels, to tell apart several clients of a program.
    public func labeled(_ labels: Label...) -> MetricsSnapshot {
        var copy = self
        for metric in metrics.indices {
            for value in metrics[metric].values.indices { copy.metrics[metric].values[value].labels += labels }
        }
        return copy
    }

    /// The metrics of several clients together; give each client a different label first.
    public static func + (left: MetricsSnapshot, right: MetricsSnapshot) -> MetricsSnapshot {
        var sum = left
        for metric in right.metrics {
            if let place = sum.metrics.firstIndex(where: { $0.name == metric.name }) {
                sum.metrics[place].values += metric.values
            } else {
                sum.metrics.append(metric)
            }
        }
        return sum
    }

    /// Adds a metric, unless it has no values.
    package mutating func add(_ kind: Metric.Kind, _ name: String, _ help: String, _ values: [Value]) {
        if !values.isEmpty { metrics.append(Metric(name: name, help: help, kind: kind, values: values)) }
    }
}

extension MetricsSnapshot.Value {
    package init(_ value: Double, _ labels: MetricsSnapshot.Label...) { (self.labels, self.value) = (labels, value) }
    package init(_ value: Int, _ labels: MetricsSnapshot.Label...) {
        (self.labels, self.value) = (labels, Double(value))
    }
    package init(_ isTrue: Bool) { (labels, value) = ([], isTrue ? 1 : 0) }
}
