import LibC
import TurnoutCommandIO

/// The Swift files of a source tree.
enum SourceFiles {
    /// The paths of all Swift files in files and folders, sorted within each folder.
    ///
    /// Skips hidden files and folders, such as `.build`, and links inside folders.
    static func swiftFiles(in paths: [String]) throws(CommandError) -> [String] {
        var files: [String] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else { throw .unreadable(path) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try collect(path.hasSuffix("/") ? String(path.dropLast()) : path, into: &files)
            } else {
                files.append(path)
            }
        }
        // A report on no code would call all flags unused.
        guard !files.isEmpty else {
            throw CommandError(
                "\(paths.joined(separator: ", ")): has no Swift file; nothing was reported",
                advice: "Name other folders.")
        }
        return files
    }

    private static func collect(_ folder: String, into files: inout [String]) throws(CommandError) {
        for name in try Folder.names(in: folder) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { throw .unreadable(path) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try collect(path, into: &files)
            case S_IFREG where name.hasSuffix(".swift"): files.append(path)
            default: break
            }
        }
    }
}
