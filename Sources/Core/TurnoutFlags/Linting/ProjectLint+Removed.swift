extension ProjectLint {
    /// Findings about keys that were in the project when its lock was written.
    func removedKeyFindings(_ compiled: CompiledProject?) -> [LintFinding] {
        guard let lock, let compiled, !compiled.diagnostics.hasErrors else { return [] }
        return compiled.removedKeys(from: lock).map { removed in
            let new = removed.possibleNewPath
            return LintFinding(
                .keyRemoved, "\(removed.path.description) is no longer in the project",
                at: new.flatMap(project.place) ?? project.origin,
                suggestion: new.map { "Was it renamed to \($0.keys.last ?? "")?" })
        }
    }
}
