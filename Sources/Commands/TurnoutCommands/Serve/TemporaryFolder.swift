#if Server
    import LibC
    import TurnoutCommandIO

    /// The folder of a server without `--data`. It is deleted with its last reference, also if the server cannot start.
    final class TemporaryFolder: Sendable {
        let path: String

        init() throws(CommandError) {
            let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
            let parent = named.isEmpty ? "/tmp" : named
            var name = Array((parent + "/turnout-serve-XXXXXX").utf8CString)
            let path = name.withUnsafeMutableBufferPointer {
                $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
            }
            guard let path else {
                throw CommandError(
                    "\(parent): no temporary folder can be created: \(String(cString: strerror(errno)))",
                    advice: "Name a folder with --data, or another one for temporary files in TMPDIR.")
            }
            self.path = path
        }

        deinit { delete() }

        func delete() { Self.delete(path) }

        private static func delete(_ path: String) {
            guard unlink(path) != 0 else { return }
            for name in (try? Folder.names(in: path)) ?? [] where name != "." && name != ".." {
                delete(path + "/" + name)
            }
            rmdir(path)
        }
    }
#endif
