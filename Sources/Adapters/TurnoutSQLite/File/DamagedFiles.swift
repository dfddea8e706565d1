import LibC

/// The damaged files of a database that were moved aside, as `NAME.damaged-1` and so on. The last three are kept.
package struct DamagedFiles: Sendable {
    private static let keptCount = 3
    private let path: String

    /// The damaged files of the database with a path.
    package init(of path: String) { self.path = path }

    /// Moves the database and its log aside, and returns its new name.
    package func add() throws(SQLiteError) -> String {
        let numbers = numbers
        let name = name((numbers.last ?? 0) + 1)
        // The file last: without its log it is merely old, but a log without its file damages the next one.
        for ending in ["-wal", "-shm", ""] where rename(path + ending, name + ending) != 0 {
            guard errno != ENOENT || ending.isEmpty else { continue }
            throw SQLiteError(
                code: 14, message: "damaged, and cannot be renamed: \(String(cString: strerror(errno)))", file: path
            )
        }
        for number in numbers.dropLast(Self.keptCount - 1) { remove(number) }
        return name
    }

    /// Removes all of them, and returns their number.
    func removeAll() -> Int {
        let numbers = numbers
        for number in numbers { remove(number) }
        return numbers.count
    }

    private func name(_ number: Int) -> String { path + ".damaged-\(number)" }

    private func remove(_ number: Int) { for ending in ["", "-wal", "-shm"] { unlink(name(number) + ending) } }

    /// Their numbers, ascending.
    private var numbers: [Int] {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let prefix = path.split(separator: "/").suffix(1).joined() + ".damaged-"
        guard let list = opendir(directory) else { return [] }
        defer { closedir(list) }
        var numbers: [Int] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) else { continue }
            numbers.append(number)
        }
        return numbers.sorted()
    }
}
