package import TurnoutEngine
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

/// The maximum size and depth of a YAML text, and what its aliases may make of it.
package struct YAMLLimits: Sendable {
    /// The largest size in bytes and the deepest nesting, aliases included. Default: as in JSON, 256 MiB and 512;
    /// a project file, as any `SourceFile`, has at most 32 MiB.
    package var text = JSONLimits.standard
    /// How many values the text may have, keys included. Default: that of JSON, 3,000,000.
    package var nodes = Node.countLimit
    /// How many nodes all aliases together may stand for. Default: 1,000,000.
    ///
    /// Copies share memory, but every later pass visits each of them.
    package var aliasedNodes = 1_000_000

    /// In how many brackets and braces all values together may be: a value that is three lists deep counts three.
    /// Default: 4,000,000,000, which takes about ten seconds; a file of 10 MB reaches it only with more than 500
    /// brackets around most of its values.
    ///
    /// For each token, libyaml 0.2.5 looks at every bracket and brace that is open: 100 MB inside 512 brackets
    /// would take more than a minute. Block style has no such cost.
    package var flowLevels = 4_000_000_000

    package static let standard = YAMLLimits()

    package init() {}
}
