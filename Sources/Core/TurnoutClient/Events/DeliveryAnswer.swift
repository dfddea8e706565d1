/// The outcome of a request with events.
package enum DeliveryAnswer: Sendable, Equatable {
    /// The receiver answered.
    case reply(EventReply)
    /// The request failed; with a description of the cause.
    case failed(String)
    /// The transport rejected the address before anything was sent; with a description of the cause. A retry would fail
    /// too.
    case badAddress(String)
    /// No transport is configured.
    case noTransport
}
