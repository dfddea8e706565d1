package import TurnoutEngine

extension InputFile {
    /// Reads the file as a datafile.
    ///
    /// - Parameter parse: Makes a value of the datafile's bytes.
    /// - Returns: The value.
    /// - Throws: `CommandError` with the name of the file, if it cannot be read or used.
    package consuming func readDatafile<Value>(
        _ parse: ([UInt8]) throws(DatafileError) -> Value
    ) throws(CommandError) -> Value {
        let name = name
        let bytes = try readAll()
        do throws(DatafileError) { return try parse(bytes) } catch { throw CommandError(error, in: name) }
    }
}

extension CommandError {
    /// The error for a datafile that cannot be used.
    package init(_ error: DatafileError, in file: String) {
        switch error {
        case .invalid(let error):
            self.init(error, in: file, advice: "Download the datafile again.")
        case .unsupportedVersion(let version):
            self.init(
                "\(file): $.version: version \"\(version)\" is not supported",
                advice: "Turnout reads datafiles of version 4.")
        }
    }
}
