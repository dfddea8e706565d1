/// What was deleted of users' events.
package struct ForgottenEvents: Sendable, Equatable {
    /// The number of processed exposures and conversions.
    package var events = 0
    /// The number of requests in the log from which events were removed.
    package var requests = 0

    /// Creates zeros.
    package init() {}
}
