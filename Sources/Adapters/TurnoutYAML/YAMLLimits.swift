#if YAML
    package import TurnoutEngine

    /// The maximum size and depth of a YAML text, and what its aliases may make of it.
    package struct YAMLLimits: Sendable {
        /// The largest size in bytes and the deepest nesting, aliases included. Default: as in JSON, 256 MiB and 512.
        package var text = JSONLimits.standard
        /// How many nodes all aliases together may stand for. Default: 1,000,000.
        ///
        /// Copies share memory, but every later pass visits each of them.
        package var aliasedNodes = 1_000_000

        /// The standard limits.
        package static let standard = YAMLLimits()

        /// Creates the standard limits.
        package init() {}
    }
#endif
