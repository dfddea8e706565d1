import LibC

/// Files that a command writes as a whole.
package enum OutputFile {
    /// Replaces the contents of a file, or creates it.
    ///
    /// A reader sees the old or the new contents, never a part. A file that has the contents already is not touched, so
    /// that builds that depend on it do not run again.
    package static func write(_ bytes: [UInt8], to name: String) throws(CommandError) { try write([(name, bytes)]) }

    /// Replaces the contents of files that belong together, or creates them.
    ///
    /// All new contents are written beside the files first, and each file then gets its contents in one step. So if the
    /// disk is full or a file cannot be written, no file has changed, and no temporary file is left. Only a process
    /// that is killed between the steps leaves some files replaced: the first ones.
    ///
    /// - Parameters:
    ///   - files: The names and the new contents, in the order in which they are replaced.
    ///   - replace: Renames a file, and returns whether that succeeded.
    /// - Throws: `CommandError` with the file that cannot be written.
    package static func write(
        _ files: [(name: String, bytes: [UInt8])],
        replace: (_ temporary: String, _ name: String) -> Bool = { rename($0, $1) == 0 }
    ) throws(CommandError) {
        var replacements: [Replacement] = []
        // Renamed files no longer exist under this name.
        defer { for replacement in replacements { unlink(replacement.temporary) } }
        var special: [(name: String, bytes: [UInt8])] = []
        for (name, bytes) in files {
            var status = stat()
            let exists = stat(name, &status) == 0
            if exists, status.st_mode & S_IFMT == S_IFREG {
                if try InputFile(name).readAll() == bytes { continue }
            } else if exists || Self.exists(name) {
                special.append((name, bytes))
                continue
            }
            let replacement = Replacement(of: name)
            replacements.append(replacement)
            try fill(replacement.temporary, with: bytes, like: exists ? status : nil, named: name)
        }
        // Pipes and devices must not be replaced, and links whose file is missing stay links.
        for (name, bytes) in special { try fill(name, with: bytes, named: name) }
        for (index, replacement) in replacements.enumerated() {
            guard !replace(replacement.temporary, replacement.path) else { continue }
            throw error(replacement.name, after: replacements[..<index].map(\.name))
        }
    }

    /// The new contents of a file, and where they are until they replace the old ones.
    private struct Replacement {
        let name: String
        /// The path of the file; of a link, that of the file that it leads to.
        let path: String
        let temporary: String

        init(of name: String) {
            self.name = name
            let resolved = realpath(name, nil)
            path = resolved.map { String(cString: $0) } ?? name
            free(resolved)
            temporary = path + ".\(getpid())\(OutputFile.temporaryEnding)"
        }
    }

    private static let temporaryEnding = ".tmp"

    /// Removes the temporary files of processes that were killed while they wrote these files. No running process may
    /// be writing them.
    package static func removeLeftovers(of names: [String]) {
        for name in names {
            let path = Replacement(of: name).path
            let slash = path.lastIndex(of: "/")
            let folder = slash.map { String(path[...$0]) } ?? "./"
            let start = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + "."
            for other in (try? Folder.names(in: folder)) ?? [] {
                guard other.hasPrefix(start), other.hasSuffix(temporaryEnding) else { continue }
                let middle = other.dropFirst(start.count).dropLast(temporaryEnding.count)
                if !middle.isEmpty, middle.allSatisfy({ ("0"..."9").contains($0) }) { unlink(folder + other) }
            }
        }
    }

    /// Makes writing beyond the limit for the size of files (`ulimit -f`) an error. Otherwise it would end the process,
    /// and leave temporary files.
    package static func reportSizeLimit() { signal(SIGXFSZ, SIG_IGN) }

    /// Whether there is a file, folder or link of a name.
    package static func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat(name, &status) == 0
    }

    /// Whether a name is that of a folder, or of a link to one.
    package static func isFolder(_ name: String) -> Bool {
        var status = stat()
        return stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a folder unless it exists. Its parent must exist.
    package static func createFolder(_ name: String) throws(CommandError) {
        guard mkdir(name, 0o777) != 0, errno != EEXIST else { return }
        throw CommandError(
            "\(name): cannot be created: \(String(cString: strerror(errno)))",
            advice: "Check that the folder above exists, and its permissions.")
    }

    /// Writes a file in place. Errors that the system reports late are reported here.
    private static func fill(
        _ path: String, with bytes: [UInt8], like earlier: stat? = nil, named name: String
    ) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw error(name) }
        do throws(CommandError) {
            try put(bytes, on: descriptor, name)
            if let earlier {
                // First the owner, because changing it clears some bits of the mode. Only root may keep another's.
                if fchown(descriptor, earlier.st_uid, earlier.st_gid) != 0 { fchown(descriptor, .max, earlier.st_gid) }
                fchmod(descriptor, earlier.st_mode & 0o7777)
            }
            // Pipes and devices cannot be synchronized.
            guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw error(name) }
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw error(name) }
    }

    private static func put(_ bytes: [UInt8], on descriptor: Int32, _ name: String) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw error(name) }
            rest = rest.dropFirst(count)
        }
    }

    private static func error(_ name: String, after replaced: [String] = []) -> CommandError {
        let problem = String(cString: strerror(errno))
        guard replaced.isEmpty else {
            return CommandError(
                "\(name): cannot be written: \(problem); written are only \(replaced.joined(separator: ", "))",
                advice: "Remove the cause, and run the command again: it writes the others.")
        }
        return CommandError(
            "\(name): cannot be written: \(problem)",
            advice: "Check that the folder exists, its permissions, the space on the disk, and `ulimit -f`.")
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
