extension MetricsSnapshot {
    /// The metrics in Prometheus's text format, version 0.0.4, for a response of the type
    /// `text/plain; version=0.0.4; charset=utf-8`. The text of other metrics can be appended.
    ///
    /// ```text
    /// # HELP turnout_ready Whether the client has a datafile.
    /// # TYPE turnout_ready gauge
    /// turnout_ready 1
    /// ```
    public func prometheus() -> String {
        var text = ""
        text.reserveCapacity(metrics.reduce(0) { $0 + 200 + 80 * $1.values.count })
        for metric in metrics {
            text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for value in metric.values {
                text += metric.name
                Self.write(value.labels, to: &text)
                text += " "
                text += Self.number(value.value)
                text += "\n"
            }
        }
        return text
    }

    private static func write(_ labels: [Label], to text: inout String) {
        for (place, label) in labels.enumerated() {
            text += place == 0 ? "{" : ","
            text += label.name
            text += "=\""
            for scalar in label.value.unicodeScalars {
                switch scalar {
                case "\\": text += "\\\\"
                case "\"": text += "\\\""
                case "\n": text += "\\n"
                default: text.unicodeScalars.append(scalar)
                }
            }
            text += "\""
        }
        if !labels.isEmpty { text += "}" }
    }

    /// The number without a fraction if it has none: `12`, `0.25`.
    private static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }
}
