/// Why a service gave no prediction. Descriptions contain no personal data.
public enum PredictionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no usable address; with a description.
    case misconfigured(String)
    /// The service answered with an error status.
    case status(Int)
    /// The service's answer contains no variation.
    case invalidReply
    /// There was no answer, for a reason that the transport does not describe.
    case unreachable

    /// A description of the error.
    public var description: String {
        switch self {
        case .misconfigured(let problem): "the address of the prediction service cannot be used: \(problem)"
        case .status(let status): "the prediction service answered with HTTP status \(status)"
        case .invalidReply: "the answer of the prediction service names no variation"
        case .unreachable: "the prediction service could not be reached"
        }
    }
}

extension PredictionError: PrintableError {}
