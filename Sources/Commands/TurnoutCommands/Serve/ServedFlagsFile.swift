import TurnoutReports

#if Server
    import LibC
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutEngine
    import TurnoutFlags
    package import TurnoutServer

    /// The project file of a server, for its pages: read, checked and compared as `lint` and `diff` do.
    package final class ServedFlagsFile: FlagsFile {
        /// The path, as the command line names it.
        let path: String
        private let latest = Locked<(tags: [String], content: FlagsFileContent)?>(nil)
        private let history = Locked(History())

        package init(_ path: String) { self.path = path }

        package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The folder of the file.
        var folder: String { path.contains("/") ? String(path.dropLast(name.count)) : "." }

        package func read() throws -> FlagsFileContent {
            try explainingProblems {
                let (bytes, lock) = (
                    try InputFile(path, isRegular: true).readAll(), ProjectSource.lockPath(besides: path)
                )
                let lockBytes = OutputFile.exists(lock) ? try InputFile(lock).readAll() : []
                let tags = [bytes, lockBytes].map { $0.withUnsafeBytes { EntityTag.of($0) } }
                if let known = latest.withLock({ $0?.tags == tags ? $0?.content : nil }) { return known }
                let content = try self.content(of: bytes)
                latest.withLock { $0 = (tags, content) }
                return content
            }
        }

        /// - Throws: ``FlagsFileProblem`` with all errors, if it is no project.
        private func content(of bytes: [UInt8]) throws -> FlagsFileContent {
            try explainingProblems {
                let file = SourceFile(name: name, bytes: bytes)
                let root: Node
                do throws(Diagnostic) { root = try ProjectSource.node(of: file, named: path) } catch {
                    throw FlagsFileProblem(error.text(in: name))
                }
                let source = try ProjectSource(path, file, root)
                let errors = source.diagnostics.all.filter { $0.severity == .error }
                guard let project = source.project, errors.isEmpty, !source.isDatafile else {
                    throw FlagsFileProblem(
                        errors.isEmpty
                            ? "\(name) is no project file" : errors.map { $0.text(in: name) }.joined(separator: "\n"))
                }
                let findings = source.diagnostics.all + ProjectLint(project, lock: source.lock, source: file).findings
                return FlagsFileContent(
                    project, findings: findings,
                    findingsByFlag: ProjectLint.findings(findings, byFlagOf: project, in: file),
                    tag: Self.tag(of: bytes))
            }
        }

        static func tag(of bytes: [UInt8]) -> String {
            bytes.withUnsafeBytes { EntityTag.of($0) }.filter { $0 != "\"" }
        }

        private func explainingProblems<Value>(_ body: () throws -> Value) throws -> Value {
            do { return try body() } catch let error as CommandError {
                throw FlagsFileProblem(([error.message] + (error.advice.map { [$0] } ?? [])).joined(separator: ". "))
            }
        }
    }

    // MARK: History

    extension ServedFlagsFile {
        /// The most commits that are looked at.
        static let commitLimit = 100
        /// How long git and comparisons may take for a request. What is known stays for the next one.
        private static let timeLimit = Duration.seconds(2)

        /// What is known of the commits, whose contents never change.
        fileprivate struct History {
            var head: [UInt8] = []
            var commits: [Commit] = []
            var meanings: [String: Meaning] = [:]
        }

        /// A line of `git log`.
        fileprivate struct Commit {
            let id: String
            let author: String
            let time: Int64
            let subject: String

            init?(_ line: Substring) {
                let parts = line.split(separator: "\0", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
                // Anyone can write any date into a commit.
                guard parts.count == 4, let seconds = Int64(parts[2]), 0...1 << 40 ~= seconds else { return nil }
                (id, author, time, subject) = (parts[0], parts[1], seconds * 1_000, parts[3])
            }
        }

        /// What differs from the version before.
        fileprivate struct Meaning {
            var changes: [ProjectChange] = []
            var notCompared: [String] = []
            /// Said in place of the changes.
            var note: String?

            func commit(_ commit: Commit, _ isWanted: (ProjectChange) -> Bool = { _ in true }) -> FlagsFileCommit? {
                let wanted = changes.filter(isWanted)
                guard note != nil || !wanted.isEmpty || !notCompared.isEmpty else { return nil }
                let report =
                    note.map { Report([.sentence($0)]) } ?? ChangeReport(wanted, notCompared: notCompared).report
                return FlagsFileCommit(
                    id: commit.id, author: commit.author, time: commit.time, subject: commit.subject, meaning: report,
                    flags: Set(wanted.compactMap(\.flag)))
            }
        }

        /// Whether a folder above has a repository. Git is not asked: it may be missing, and it refuses checkouts of
        /// other users.
        package var isInGit: Bool {
            guard let resolved = realpath(folder, nil) else { return false }
            defer { free(resolved) }
            var place = String(cString: resolved)
            while !place.isEmpty {
                if OutputFile.exists(place + "/.git") { return true }
                place = String(place.prefix(upTo: place.lastIndex(of: "/") ?? place.startIndex))
            }
            return OutputFile.exists("/.git")
        }

        package func history(of flag: String?, limit: Int) throws -> [FlagsFileCommit] {
            let deadline = ContinuousClock.now + Self.timeLimit
            let commits = try self.commits(until: deadline)
            let subjects = flag.map(self.subjects)
            var (found, older) = ([FlagsFileCommit](), AuthoredProject?.none)
            for (index, commit) in commits.prefix(Self.commitLimit).enumerated() where found.count < limit {
                guard var meaning = self.meaning(of: commits, at: index, &older, until: deadline) else { break }
                if subjects != nil, meaning.note != nil, meaning.changes.isEmpty { continue }
                if subjects != nil { (meaning.note, meaning.notCompared) = (nil, []) }
                let isWanted = { (change: ProjectChange) in
                    subjects.map { names in change.subject.prefix(2).contains(where: names.contains) } ?? true
                }
                if let commit = meaning.commit(commit, isWanted) { found.append(commit) }
            }
            return found
        }

        /// The names of a flag, and of the audiences of its rules, in changes.
        private func subjects(of flag: String) -> Set<String> {
            guard let authored = try? read().project.flags.first(where: { $0.key == flag }) else {
                return ["flag \(flag)"]
            }
            let rules = [authored.rules] + authored.rulesByEnvironment.values
            let audiences = rules.flatMap { $0.experiments.map(\.audience) + $0.deliveries.map(\.audience) }
            return Set(
                [flag, authored.formerKey].compactMap { $0.map { "flag \($0)" } }
                    + audiences.compactMap(\.self).flatMap(\.audienceKeys).map { "audience \($0)" })
        }

        /// The commits that changed the file, and one more if there are too many.
        private func commits(until deadline: ContinuousClock.Instant) throws -> [Commit] {
            guard let head = GitRevision.run(["-C", folder, "rev-parse", "HEAD"], until: deadline) else { return [] }
            if let known = history.withLock({ $0.head == head ? $0.commits : nil }) { return known }
            // The changes of a branch count when it is merged: before, its versions are beside those of others.
            let arguments = [
                "log", "--first-parent", "--format=%h%x00%an%x00%at%x00%s", "-n", "\(Self.commitLimit + 1)", "--", name,
            ]
            guard let text = GitRevision.run(["-C", folder] + arguments, until: deadline) else {
                throw FlagsFileProblem("git does not list the commits of \(name) within \(Self.timeLimit)")
            }
            let commits = String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap(Commit.init)
            history.withLock { ($0.head, $0.commits) = (head, commits) }
            return commits
        }

        /// What a commit means; nil if there is no time to find out. `older` is the version before the commit, if it
        /// was read.
        private func meaning(
            of commits: [Commit], at index: Int, _ older: inout AuthoredProject?,
            until deadline: ContinuousClock.Instant
        ) -> Meaning? {
            let commit = commits[index]
            if let known = history.withLock({ $0.meanings[commit.id] }) {
                older = nil
                return known
            }
            guard ContinuousClock.now < deadline else { return nil }
            var (meaning, isUnknown) = (Meaning(), false)
            do {
                let newer = try older ?? version(commit, until: deadline)
                older = index + 1 < commits.count ? try version(commits[index + 1], until: deadline) : nil
                switch (older, newer) {
                case (let old?, let new?):
                    let comparison = ProjectComparison(from: old, to: new)
                    (meaning.changes, meaning.notCompared) = (comparison.changes, comparison.notCompared)
                    if meaning.changes.isEmpty, meaning.notCompared.isEmpty {
                        meaning.note = "Comments or layout alone"
                    }
                case (nil, let new?):
                    meaning.changes = new.flags.map { ProjectChange(.added, ["flag \($0.key)"]) }
                    meaning.note = "The file is new: \(new.flags.count.grouped("flag"))"
                case (_, nil): meaning.note = "The file is removed"
                }
            } catch {
                (older, isUnknown) = (nil, true)
                meaning.note = "Not known: \((error as? CommandError)?.message ?? "\(error)")"
            }
            // git may answer next time.
            if !isUnknown { history.withLock { [meaning] in $0.meanings[commit.id] = meaning } }
            return meaning
        }

        /// The project in a commit; nil if the commit does not have the file.
        private func version(_ commit: Commit, until deadline: ContinuousClock.Instant) throws -> AuthoredProject? {
            let revision = GitRevision(name: commit.id)
            guard let bytes = try revision.contents(of: path, until: deadline) else { return nil }
            let source = try ProjectSource(ComparedFile(path: path, revision: revision, bytes: bytes))
            guard let project = source.project else {
                throw CommandError("the file had \(source.diagnostics.all.count.grouped("error"))")
            }
            return project
        }
    }

    extension ProjectChange {
        /// The key of the flag that it is about; nil if it is about another part.
        var flag: String? {
            subject.prefix(2).first { $0.hasPrefix("flag ") }.map { String($0.dropFirst("flag ".count)) }
        }
    }
#endif
