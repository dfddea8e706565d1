#if Server
    import TurnoutCommandIO
    package import TurnoutEngine
    package import TurnoutFlags
    package import TurnoutReports
    package import TurnoutServer

    // Edits, as `turnout set` makes them, and what `lint`, `diff` and `impact` say of them.
    extension ServedFlagsFile {
        package func proposal(
            _ edits: [FlagsFileEdit], in environment: String, for users: [User], examples: Int
        ) throws -> FlagsFileProposal {
            let content = try read()
            return try explaining {
                let old = try ProjectSource(path)
                // The server would not serve the edited file.
                if let lost = old.lostLock { throw lost }
                let before = try old.validProject()
                var edit = ProjectFileEdit(path, old, before)
                for change in edits { try edit.make(change) }
                let errors = try edit.newErrors()
                guard errors.isEmpty, let project = edit.source.project else {
                    throw FlagsFileProblem(errors.map { $0.text(in: name + " as edited") }.joined(separator: "\n"))
                }
                let projects = ProjectPair(
                    try self.project(of: old, in: environment), try self.project(of: edit.source, in: environment))
                let impact = impact(of: projects, on: users, examples: examples)
                let known = content.findings.map { $0.code + $0.message }
                let findings = ProjectLint(project, lock: edit.source.lock, source: edit.source.file).findings
                guard before.isSame(except: project) else {
                    throw FlagsFileProblem(
                        "Only flags, audiences, groups and holdouts are changed here; edit \(name) for the rest.")
                }
                let changes = ProjectComparison(from: before, to: project).changes
                let flags = Set(changes.compactMap(\.flag))
                return FlagsFileProposal(
                    tag: Self.tag(of: old.file.bytes), bytes: edit.source.file.bytes,
                    meaning: Self.meaning(of: changes), flags: flags,
                    environments: before.environments(withChangesOf: flags, in: project),
                    findings: findings.filter { !known.contains($0.code + $0.message) },
                    impact: impact.reportOfEdits, impactJSON: impact.json,
                    patch: LinePatch(from: old.file.bytes, to: edit.source.file.bytes).text(for: pathInRepository))
            }
        }

        package func meaning(from old: AuthoredProject, to new: AuthoredProject) -> Report {
            Self.meaning(of: ProjectComparison(from: old, to: new).changes)
        }

        private static func meaning(of changes: [ProjectChange]) -> Report {
            changes.isEmpty ? Report() : ChangeReport(changes).report
        }

        package func write(_ proposal: FlagsFileProposal) throws {
            try explaining {
                try FileLock.whileHeld(on: path) {
                    guard try read().tag == proposal.tag else {
                        throw FlagsFileProblem("\(name) has changed meanwhile; nothing was written", isConflict: true)
                    }
                    OutputFile.removeLeftovers(of: [path])
                    try OutputFile.write(proposal.bytes, to: path)
                }
            }
        }

        /// The decisions of users with both projects, counted as `turnout impact` counts those of users in a file.
        private func impact(of projects: ProjectPair, on users: [User], examples: Int) -> ImpactSummary {
            var count = ImpactCount(projects, exampleLimit: examples)
            for (place, user) in users.enumerated() { count.add(user, profile: UserProfile(), place: place) }
            return ImpactSummary(
                count, of: projects, names: (name, name + " as edited"), source: "users seen in the last seven days",
                isSample: false)
        }

        /// What is served of a file.
        private func project(of source: ProjectSource, in environment: String) throws -> Project {
            let compiled = try source.compile(isServed: true)
            return try Project.read(try compiled.datafile(of: environment, in: source), named: name)
        }

        /// The path from the root of the repository, as patches name it.
        private var pathInRepository: String {
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            let prefix = GitRevision.run(["-C", folder, "rev-parse", "--show-prefix"]) ?? []
            return String(decoding: prefix.filter { $0 != 0x0A }, as: UTF8.self) + name
        }

        private func explaining<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch let error as CommandError {
                throw FlagsFileProblem(error.message + (error.advice.map { ". " + $0 } ?? ""))
            } catch let error as Diagnostics {
                throw FlagsFileProblem(error.all.map { $0.text(in: name) }.joined(separator: "\n"))
            }
        }
    }

    extension ImpactSummary {
        /// The report for those who see the edits beside it: what users notice takes the place of the revisions.
        fileprivate var reportOfEdits: Report {
            var report = self.report
            let cells = flags.flatMap(\.cells).filter { $0.old != $0.new }
            let effects = [
                (true, false, "go from on to off"), (false, true, "go from off to on"),
                (true, true, "keep it on, with another variation"),
                (false, false, "keep it off, with another variation"),
            ].compactMap { old, new, words -> String? in
                let cells = cells.filter { $0.old.isEnabled == old && $0.new.isEnabled == new }
                let users = cells.reduce(0) { $0 + $1.users }
                return users == 0 ? nil : "\(users.grouped) \(words)"
            }
            let sentence = "Of them, " + effects.joined(separator: ", ") + "."
            report.sections[0].blocks[1...1] = effects.isEmpty ? [] : [.sentence(sentence, hang: 0)]
            return report
        }
    }

    extension AuthoredProject {
        /// Whether another project differs in what people change on pages alone.
        fileprivate func isSame(except other: AuthoredProject) -> Bool {
            var other = other
            (other.flags, other.audiences, other.groups, other.holdouts) = (flags, audiences, groups, holdouts)
            return self == other
        }

        /// The environments in which flags differ in another project.
        fileprivate func environments(withChangesOf flags: Set<String>, in other: AuthoredProject) -> [String] {
            environments.map(\.key).filter { environment in
                flags.contains { key in
                    let sides = [self, other].map { $0.flags.first { $0.key == key }?.resolved(in: environment) }
                    return sides[0] != sides[1]
                }
            }
        }
    }

    extension ProjectFileEdit {
        fileprivate mutating func make(_ edit: FlagsFileEdit) throws(CommandError) {
            switch edit {
            case .set(let path, let value): try set(path, to: value)
            case .add(let path, let element, let rule): try add(element, toListAt: path, after: rule)
            case .remove(let path, let element): try remove(element, fromListAt: path)
            }
        }
    }
#endif
