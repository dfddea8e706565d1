/// Why a store that wraps another one did not do what it was asked for.
public enum ProfileStoreError: Error, Sendable, Equatable {
    /// The other store did not answer in time.
    case late
    /// So many calls of the other store are late that it was not asked.
    case stuck
    /// Too many assignments wait to be written.
    case full
}

extension ProfileStoreError: PrintableError {
    /// The error in words.
    public var description: String {
        switch self {
        case .late: "the store did not answer in time"
        case .stuck: "the store does not answer any more"
        case .full: "too many assignments wait to be written"
        }
    }
}
