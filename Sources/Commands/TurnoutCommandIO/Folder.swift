import LibC

/// Folders, as the system lists them.
package enum Folder {
    /// The names of the entries of a folder, sorted.
    package static func names(in folder: String) throws(CommandError) -> [String] {
        guard let directory = opendir(folder) else { throw .unreadable(folder) }
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
}
