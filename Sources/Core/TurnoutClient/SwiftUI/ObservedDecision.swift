#if canImport(SwiftUI)
    public import Observation

    /// The current decision of a flag for a user, for views and other observers.
    ///
    /// ```swift
    /// let checkout = ObservedDecision(of: "checkout", for: session)
    /// if checkout.decision.isEnabled { … }
    /// ```
    ///
    /// In a view, ``FlagDecision`` is shorter. The effects are those of ``UserSession/decisions(of:within:options:)``:
    /// the first decision has none of its own, and looks the user's assignments up on the calling thread.
    @MainActor @Observable
    public final class ObservedDecision {
        /// The decision as of now.
        public private(set) var decision: Decision
        /// The user.
        public let session: UserSession
        @ObservationIgnored private var updating: Task<Void, Never>?

        /// Observes a flag until the object is released.
        ///
        /// - Parameters:
        ///   - flagKey: The key of the flag.
        ///   - session: The user.
        ///   - options: Options in addition to the client's defaults.
        public init(of flagKey: String, for session: UserSession, options: DecideOptions = []) {
            self.session = session
            // For the first frame. It stores no assignment: the first decision of the sequence does that, together with
            // its impression.
            decision = session.client.preview(flagKey, for: session.user.user, options: options)
            let updates = session.decisions(of: flagKey, options: options)
            updating = Task { [weak self] in
                for await decision in updates { self?.decision = decision }
            }
        }

        deinit { updating?.cancel() }
    }
#endif
