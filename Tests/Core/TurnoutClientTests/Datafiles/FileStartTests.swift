import Foundation

/// A client reads its datafile from a file.
@Suite struct FileStartTests {
    private let directory = TemporaryDirectory(isCreated: true)

    private func write(_ bytes: [UInt8]) throws -> String {
        let file = directory.url.appending(path: "datafile.json")
        try Data(bytes).write(to: file)
        return file.path
    }

    @Test func aFileIsOneCall() throws {
        let client = try FlagClient(datafileAt: try write(ExampleShop.datafile), .quiet())
        #expect(client.project?.revision == "42")
    }

    @Test func aLongFileIsReadToItsEnd() throws {
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: 1_000_001)
        let client = try FlagClient(datafileAt: try write(padding + ExampleShop.datafile + padding), .quiet())
        #expect(client.project?.revision == "42")
    }

    private func failure(at path: String) -> String? {
        let error = #expect(throws: StartError.self) { try FlagClient(datafileAt: path, .quiet()) }
        return error.map { "\($0)" }
    }

    @Test func errorsNameTheFileAndTheCause() throws {
        let missing = directory.path + "/missing.json"
        #expect(failure(at: missing) == "the datafile \(missing) cannot be used: No such file or directory")
        let current = FileManager.default.currentDirectoryPath
        #expect(
            failure(at: "no/such") == "the datafile no/such cannot be used: No such file or directory in \(current)")
        let broken = try write(Array(#"{"version": 4"#.utf8))
        #expect(failure(at: broken)?.hasPrefix("the datafile \(broken) cannot be used: ") == true)
        #expect(failure(at: broken)?.contains("line 1, column") == true)
        #expect(failure(at: directory.path) == "the datafile \(directory.path) cannot be used: Is a directory")
    }

    @Test func theCauseCanBeTested() throws {
        let missing = directory.path + "/missing.json"
        do throws(StartError) { _ = try FlagClient(datafileAt: missing, .quiet()) } catch {
            guard case .file(missing, let cause as FileError) = error else { throw error }
            #expect(cause.code == ENOENT && cause.path == missing)
        }
    }
}
