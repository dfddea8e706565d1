#if YAML
    package import TurnoutEngine
    import TurnoutFlags

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
#endif
