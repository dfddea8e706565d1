/// A datafile: its bytes and the project that they describe. Parsed once, when it is created.
public struct Datafile: Sendable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The project.
    public let project: Project

    /// Parses a datafile, in linear time; about 2 ms per megabyte.
    ///
    /// - Throws: `DatafileError` if it cannot be used.
    public init(_ bytes: [UInt8]) throws(DatafileError) { try self.init(bytes, format: .current) }

    /// Parses a datafile in a format.
    package init(_ bytes: [UInt8], format: DatafileFormat) throws(DatafileError) {
        self.init(bytes, project: try Project(datafile: bytes, format: format))
    }

    /// Creates a datafile from bytes that were already parsed.
    package init(_ bytes: [UInt8], project: Project) {
        self.bytes = bytes
        self.project = project
    }
}
