/// Why a datafile cannot be used.
public enum DatafileError: Error, Sendable, Equatable {
    /// The text is not JSON, or something required is missing or of another type. The error names the path, line and
    /// column.
    case invalid(JSONError)
    /// The datafile has a version that is not accepted.
    case unsupportedVersion(String)

    /// The vendor's wording, which callers of the drop-in interfaces compare.
    public var compatibleText: String {
        switch self {
        case .invalid: "Provided datafile is in an invalid format."
        case .unsupportedVersion(let version): "Provided datafile version (\(version)) is not supported."
        }
    }
}

extension DatafileError: CustomStringConvertible {
    /// The error with the place it was found at.
    public var description: String {
        switch self {
        case .invalid(let error): error.description
        case .unsupportedVersion(let version): "$.version: version \"\(version)\" is not supported"
        }
    }
}
