extension ProjectLint {
    /// Findings about environments that do not compile, because their datafiles would have no names. Datafiles have
    /// such environments, too, so that they can be read and decided.
    var environmentFindings: [LintFinding] {
        guard datafile == nil else { return [] }
        return project.environments.filter { !$0.canNameFile }.map {
            LintFinding(
                .environmentFileName, "the environment \($0.key.debugDescription) cannot name a file", at: $0.origin)
        }
    }

    /// The errors about environments that cannot name a file.
    package var environmentErrors: Diagnostics { Diagnostics(environmentFindings.map(diagnostic)) }
}

extension AuthoredEnvironment {
    /// Whether the key can be the name of a file, and of no file outside the folder.
    fileprivate var canNameFile: Bool {
        !key.isEmpty && key.utf8.first != UInt8(ascii: ".")
            && key.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 }
    }
}
