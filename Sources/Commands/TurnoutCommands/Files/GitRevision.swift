import LibC
import TurnoutCommandIO
import TurnoutReports

/// A commit of the repository that a file is in, read with `git`.
struct GitRevision {
    /// As the command line names it: `main`, `HEAD~3`.
    let name: String

    /// Whether a text names a commit of the repository that the current folder is in.
    static func exists(_ name: String) -> Bool {
        !name.isEmpty && name.first != "-"
            && run(["rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"]) != nil
    }

    /// The error for a word that names neither a file nor a commit.
    static func neither(_ name: String) -> CommandError {
        let advice =
            run(["--version"]) == nil
            ? "git is not installed, so that only files can be compared."
            : run(["rev-parse", "--git-dir"]) == nil
                ? "This folder is in no git repository. Name two files."
                : exists("HEAD") ? "Check its spelling." : "This repository has no commit yet. Commit the files first."
        return CommandError("\(name): is neither a file nor a commit", advice: advice)
    }

    /// The contents of a file in the commit; nil if the commit does not have it.
    func contents(
        of path: String, until deadline: ContinuousClock.Instant? = nil
    ) throws(CommandError) -> [UInt8]? {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let file = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let listed = Self.run(["-C", folder, "ls-tree", "--name-only", name, "--", file], until: deadline)
        if listed?.isEmpty == true { return nil }
        if let bytes = Self.run(["-C", folder, "show", "\(name):./\(file)"], until: deadline) { return bytes }
        throw CommandError("\(path): git cannot read it in \(name)", advice: "Try `git show \(name):./\(file)`.")
    }

    /// Runs git, and returns what it prints; nil if it fails, is not installed, or takes longer than until a time.
    static func run(_ arguments: [String], until deadline: ContinuousClock.Instant? = nil) -> [UInt8]? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var words = (["git"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, "git", &actions, nil, &words, environ)
        close(ends[1])
        defer { close(ends[0]) }
        guard failure == 0 else { return nil }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let deadline, !ends[0].isReadable(until: deadline) { kill(process, SIGKILL) }
            let count = read(ends[0], &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        var (status, ended) = (Int32(0), pid_t(-1))
        repeat { ended = waitpid(process, &status, 0) } while ended < 0 && errno == EINTR
        return ended == process && status == 0 ? bytes : nil
    }
}

extension Int32 {
    /// Waits until a descriptor has something to read, or has ended.
    fileprivate func isReadable(until deadline: ContinuousClock.Instant) -> Bool {
        var descriptor = pollfd(fd: self, events: Int16(POLLIN), revents: 0)
        let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        return poll(&descriptor, 1, rest > 0 ? Int32(rest) : 0) > 0
    }
}

/// One of the two files that a command compares: a file, standard input, or a file as it was in a commit.
struct ComparedFile {
    /// The path, or `-`.
    let path: String
    /// The commit; nil for what is on the disk.
    let revision: GitRevision?
    let bytes: [UInt8]

    /// As messages name it: `flags.yaml in main`.
    var title: String { revision.map { "\(path) in \($0.name)" } ?? (path == "-" ? "standard input" : path) }

    /// The files that `OLD [NEW]` names. A word that is no file, but a commit, stands for the other file as it was in
    /// the commit. Without NEW, or with two commits, the file is the project file of the current folder.
    static func pair(_ operands: [String]) throws -> (old: ComparedFile, new: ComparedFile) {
        let isCommit = operands.map { $0 != "-" && !OutputFile.exists($0) && GitRevision.exists($0) }
        guard operands.count == 2 || isCommit[0] else {
            if operands[0] == "-" || OutputFile.exists(operands[0]) { throw UsageError.missing(anyOf: ["NEW"]) }
            throw GitRevision.neither(operands[0])
        }
        let names = operands.count == 2 ? operands : operands + [ProjectSource.defaultName]
        let commits = operands.count == 2 ? isCommit : isCommit + [false]
        let (old, new) = (try file(names, commits, 0), try file(names, commits, 1))
        if commits.contains(true) {
            StandardStream.error.put("turnout: note: compares \(old.title.printable) with \(new.title.printable)\n")
        }
        return (old, new)
    }

    private static func file(_ names: [String], _ isCommit: [Bool], _ place: Int) throws -> ComparedFile {
        guard isCommit[place] else {
            guard names[place] == "-" || OutputFile.exists(names[place]) else {
                throw GitRevision.neither(names[place])
            }
            return ComparedFile(path: names[place], revision: nil, bytes: try InputFile(names[place]).readAll())
        }
        let other = isCommit[1 - place] || names[1 - place] == "-" ? ProjectSource.defaultName : names[1 - place]
        let revision = GitRevision(name: names[place])
        guard let bytes = try revision.contents(of: other) else {
            throw CommandError(
                "\(names[place]): has no file \(other)",
                advice: "A commit stands for the file that it is compared with. Is it committed there?")
        }
        return ComparedFile(path: other, revision: revision, bytes: bytes)
    }
}
