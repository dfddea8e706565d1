#if YAML
    import TurnoutEngine
    package import TurnoutFlags

    extension Node {
        /// Reads a project file in YAML 1.1, as libyaml understands it, in UTF-8.
        ///
        /// An alias is replaced by the node that it names: its range is that of the alias, the nodes inside keep
        /// their places. Tags, directives, merge keys, keys that are not scalars and several documents are errors.
        /// Duplicate keys are kept.
        ///
        /// - Throws: A diagnostic with the place of the first error.
        /// - Complexity: O(n) in the size of the text.
        package init(yaml source: SourceFile, limits: YAMLLimits = .standard) throws(Diagnostic) {
            let limit = min(limits.text.size, SourceFile.sizeLimit)
            if let problem = source.sizeProblem(limit: limit) ?? source.encodingProblem { throw problem }
            self = try source.bytes.withBytes { (bytes) throws(Diagnostic) in
                let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
                let text = UnsafeBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...])
                var reader = YAMLReader(text, in: source, limits: limits)
                let node: Node
                do throws(Diagnostic) { node = try reader.readDocument() } catch {
                    throw source.conflict(isUnreadable: true) ?? error
                }
                if let conflict = source.conflict(isUnreadable: false) { throw conflict }
                return node
            }
        }
    }
#endif
