#if Tracing
    public import Tracing
    public import TurnoutClient

    extension SpanEvent {
        /// An event about a decision, for the span of the work that it was made for.
        ///
        /// ```swift
        /// let checkout = ada.decide("checkout_redesign")
        /// span.addEvent(.decision(checkout))
        /// ```
        ///
        /// It is named `feature_flag.evaluation`, with the attributes `feature_flag.key`, `feature_flag.provider.name`,
        /// `feature_flag.result.variant` and `feature_flag.result.reason`, as OpenTelemetry names them; the reason is
        /// the decision's stage. The user is not recorded.
        public static func decision(_ decision: Decision) -> SpanEvent {
            var attributes: SpanAttributes = [
                "feature_flag.key": .string(decision.flagKey),
                "feature_flag.provider.name": "turnout",
                "feature_flag.result.reason": .string(decision.stage.rawValue),
            ]
            attributes["feature_flag.result.variant"] = decision.variationKey
            if decision.isError { attributes["error.type"] = decision.stage.rawValue }
            return SpanEvent(name: "feature_flag.evaluation", attributes: attributes)
        }
    }
#endif
