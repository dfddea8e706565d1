/// Why a service gave no prediction. The words contain nothing personal.
public enum PredictionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no address to ask; why.
    case misconfigured(String)
    /// The service answered with a status that is no success.
    case status(Int)
    /// The service's answer does not name a variation.
    case invalidReply
    /// There was no answer, for a reason that the transport has no words for.
    case unreachable

    /// The error in words.
    public var description: String {
        switch self {
        case .misconfigured(let problem): problem
        case .status(let status): "the prediction service answered \(status)"
        case .invalidReply: "the prediction service's answer names no variation"
        case .unreachable: "the prediction service could not be reached"
        }
    }
}
