extension HTTPResponse {
    /// How long the server wants to be left alone, by its `Retry-After`, at most a day; nil: it does not say.
    ///
    /// Only seconds are understood: who sends a date has a clock of their own.
    package var retryAfter: Duration? {
        guard let text = headers["retry-after"]?.trimmingBlanks, let seconds = Int64(text), seconds >= 0 else {
            return nil
        }
        return .seconds(min(seconds, 86_400))
    }

    /// Whether the same request may well succeed a little later.
    package var isTemporaryFailure: Bool { [408, 425, 429].contains(status) || status >= 500 }
}
