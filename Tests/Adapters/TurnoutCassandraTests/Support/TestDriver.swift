import Foundation

/// The driver that tests load: the one in the environment, the one that `Scripts/setup` installs, or the system's.
enum TestDriver {
    /// The path of the library; nil if there is none.
    static let library: String? =
        ProcessInfo.processInfo.environment["TURNOUT_CASSANDRA_LIBRARY"] ?? packaged ?? installed

    /// The driver in a Python package. It refers to functions of Python's library, which has to be loaded before.
    private static var packaged: String? {
        var folder = URL(filePath: #filePath)
        for _ in 0..<5 { folder.deleteLastPathComponent() }
        let libraries = folder.appending(path: ".build/acsylla/lib").path
        for python in (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? [] {
            let package = "\(libraries)/\(python)/site-packages/acsylla/_cython"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: package)) ?? []
            // The interpreter of another installation has its own library.
            let own = URL(filePath: "\(libraries)/../bin/\(python)").resolvingSymlinksInPath()
                .appending(path: "../../lib/lib\(python).so.1.0").standardized.path
            guard let file = files.first(where: { $0.hasPrefix("cyacsylla.") && $0.hasSuffix(".so") }),
                ["lib\(python).so.1.0", own].contains(where: isLoaded)
            else { continue }
            return "\(package)/\(file)"
        }
        return nil
    }

    private static func isLoaded(_ library: String) -> Bool { dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nil }

    private static var installed: String? {
        dlopen("libcassandra.so.2", RTLD_NOW | RTLD_LOCAL) == nil ? nil : "libcassandra.so.2"
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests with the driver if there is none.
    static var needsDriver: Self {
        .enabled("the driver of Cassandra is missing; Scripts/setup installs it") { TestDriver.library != nil }
    }
}
