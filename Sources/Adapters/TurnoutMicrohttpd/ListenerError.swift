#if Server
    /// Why a listener cannot start.
    package struct ListenerError: Error, Sendable, CustomStringConvertible {
        /// What failed, why, and what to do.
        package let description: String

        init(_ description: String) { self.description = description }
    }
#endif
