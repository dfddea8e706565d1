#if canImport(SwiftUI)
    public import Observation
    public import SwiftUI

    /// The current decision of a flag in a view, which is updated when the decision changes.
    ///
    /// ```swift
    /// struct Checkout: View {
    ///     @FlagDecision("checkout") private var checkout
    ///     var body: some View { Text(checkout.variables.string("title") ?? "Pay") }
    /// }
    ///
    /// Checkout().environment(\.userSession, session)
    /// ```
    ///
    /// The effects are those of ``UserSession/decisions(of:within:options:)``, from the first time that the view is
    /// shown. Without a session in the environment the decision is ``DecisionStage/notReady``.
    @MainActor @propertyWrapper
    public struct FlagDecision: DynamicProperty {
        /// Keeps the observed decision while the view exists.
        @MainActor private final class Storage {
            private var observed: (flagKey: String, decision: ObservedDecision)?

            /// The same view can get another flag or session.
            func decision(of flagKey: String, for session: UserSession) -> Decision {
                if let observed, observed.flagKey == flagKey, observed.decision.session === session {
                    return observed.decision.decision
                }
                let new = ObservedDecision(of: flagKey, for: session)
                observed = (flagKey, new)
                return new.decision
            }
        }

        // Qualified, because this module has an `Environment` of its own.
        @SwiftUI.Environment(\.userSession) private var session
        @State private var storage = Storage()
        private let flagKey: String

        /// Observes a flag.
        public init(_ flagKey: String) { self.flagKey = flagKey }

        /// The current decision.
        public var wrappedValue: Decision {
            guard let session else { return .notReady(flagKey) }
            return storage.decision(of: flagKey, for: session)
        }
    }

    extension EnvironmentValues {
        private struct UserSessionKey: EnvironmentKey {
            static let defaultValue: UserSession? = nil
        }

        /// The user that ``FlagDecision`` decides for. Default: nil.
        public var userSession: UserSession? {
            get { self[UserSessionKey.self] }
            set { self[UserSessionKey.self] = newValue }
        }
    }

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
