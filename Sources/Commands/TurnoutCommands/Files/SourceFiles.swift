#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The Swift files of a source tree.
enum SourceFiles {
    /// The paths of all Swift files in files and folders, sorted within each folder.
    ///
    /// Skips hidden files and folders, such as `.build`, and links inside of folders.
    static func swiftFiles(in paths: [String]) throws(CommandError) -> [String] {
        var files: [String] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else { throw error(path) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try collect(path.hasSuffix("/") ? String(path.dropLast()) : path, into: &files)
            } else {
                files.append(path)
            }
        }
        return files
    }

    private static func collect(_ folder: String, into files: inout [String]) throws(CommandError) {
        for name in try names(in: folder) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { throw error(path) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try collect(path, into: &files)
            case S_IFREG where name.hasSuffix(".swift"): files.append(path)
            default: break
            }
        }
    }

    /// The names of the entries of a folder, sorted.
    static func names(in folder: String) throws(CommandError) -> [String] {
        guard let directory = opendir(folder) else { throw error(folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    let capacity = MemoryLayout.size(ofValue: pointer.pointee)
                    return pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    private static func error(_ path: String) -> CommandError {
        CommandError(
            "\(path): cannot be read: \(String(cString: strerror(errno)))",
            advice: "Check the path and its permissions.")
    }
}
