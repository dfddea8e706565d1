/// Why a datafile cannot be used.
public enum DatafileError: Error, Sendable, Equatable {
    /// The text is not JSON, or a required member is missing or of another type. The error gives the path, line and
    /// column.
    case invalid(JSONError)
    /// The datafile's version is not accepted.
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
    /// The error and where it was found.
    public var description: String {
        switch self {
        case .invalid(let error): error.description
        case .unsupportedVersion(let version): "$.version: version \"\(version)\" is not supported"
        }
    }
}
