import Foundation

/// The example project of the repository.
enum ExampleShop {
    static let datafile: [UInt8] = {
        // This file is four folders below the root of the repository.
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return (try? Data(contentsOf: root.appending(path: "Examples/Shop/datafile.json"))).map { [UInt8]($0) } ?? []
    }()

    /// A client for the example, without a transport or a log.
    static func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> FlagClient {
        try FlagClient(datafile: datafile, .quiet(change))
    }
}

extension ClientConfiguration {
    /// The standard configuration without a log, changed as a test needs it.
    static func quiet(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        change(&configuration)
        return configuration
    }
}
