/// Why a store that wraps another one failed.
public enum ProfileStoreError: Error, Sendable, Equatable {
    /// The other store did not answer in time.
    case late
    /// The other store was not called, because too many calls are late.
    case stuck
    /// Too many assignments are queued for writing.
    case full
}

extension ProfileStoreError: PrintableError {
    /// A description of the error.
    public var description: String {
        switch self {
        case .late: "the store did not answer in time"
        case .stuck: "the store does not answer any more"
        case .full: "too many assignments wait to be written"
        }
    }
}
