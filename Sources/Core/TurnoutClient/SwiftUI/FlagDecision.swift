#if canImport(SwiftUI)
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
#endif
