extension HTTPResponse {
    /// The delay in the server's `Retry-After`, at most a day; nil if there is none.
    ///
    /// A date is compared with the response's own `Date`, so the clocks need not agree; without one, with the system's
    /// clock.
    package var retryAfter: Duration? {
        guard let text = headers["retry-after"]?.trimmingBlanks else { return nil }
        if let seconds = Int64(text) { return seconds >= 0 ? .seconds(min(seconds, 86_400)) : nil }
        guard let end = HTTPDate.millisecondsSince1970(text) else { return nil }
        let start = headers["date"].flatMap { HTTPDate.millisecondsSince1970($0.trimmingBlanks) }
        let pause = end - (start ?? TimeOfDay.millisecondsSince1970)
        return .milliseconds(min(max(0, pause), 86_400_000))
    }

    /// Whether a retry may succeed a little later.
    package var isTemporaryFailure: Bool { [408, 425, 429].contains(status) || status >= 500 }
}
