import TurnoutClient
import TurnoutEngine

// The notifications as JSON, with the members of the vendor's Agent.

enum NotificationJSON {
    /// A decision for a flag.
    static func flag(_ decision: Decision, of user: User, segments: [String]?, isSent: Bool) -> [UInt8] {
        write("flag", user, segments) { writer in
            writer.member("decisionEventDispatched", isSent)
            writer.member("enabled", decision.isEnabled)
            writer.member("experimentId", decision.rule?.id ?? "")
            writer.member("flagKey", decision.flagKey)
            writer.member("reasons", decision.agentReasons)
            writer.member("ruleKey", decision.ruleKey ?? "")
            writer.member("variables") { $0.goValue(decision.variables) }
            writer.member("variationId", decision.variation?.id ?? "")
            writer.member("variationKey", decision.variationKey ?? "")
        }
    }

    /// A decision for a flag by the older call.
    static func feature(_ decision: Decision, of user: User) -> [UInt8] {
        write("all-feature-variables", user, nil) { writer in
            writer.object("feature") { writer in
                writer.member("featureEnabled", decision.isEnabled)
                writer.member("featureKey", decision.flagKey)
                writer.member("source", decision.source.rawValue)
                writer.object("sourceInfo") { writer in
                    guard decision.source == .featureTest else { return }
                    writer.member("experimentKey", decision.ruleKey ?? "")
                    writer.member("variationKey", decision.variationKey ?? "")
                }
                writer.member("variableValues") { $0.goValue(decision.variables) }
            }
        }
    }

    /// A decision for an experiment by the older call.
    static func experiment(_ key: String, _ decision: Decision, of user: User, isFeatureTest: Bool) -> [UInt8] {
        write(isFeatureTest ? "feature-test" : "ab-test", user, nil) { writer in
            writer.member("experimentKey", key)
            if let variation = decision.variationKey { writer.member("variationKey", variation) }
        }
    }

    static func conversion(_ conversion: Conversion, of user: User, by project: Project) -> [UInt8] {
        document { writer in
            writer.member("EventKey", conversion.eventKey)
            writer.user(user, segments: nil)
            writer.member("EventTags") { $0.goValue(.object(conversion.tags)) }
            writer.object("ConversionEvent") { writer in
                writer.member("entity_id", conversion.eventID)
                writer.member("key", conversion.eventKey)
                writer.list("Attributes", project.declaredAttributes) { writer, attribute in
                    guard let value = user.attributes[attribute.key] else { return }
                    writer.object { writer in
                        writer.member("value") { $0.goValue(value) }
                        writer.member("key", attribute.key)
                        writer.member("type", "custom")
                        writer.member("entity_id", attribute.id)
                    }
                }
                if !conversion.tags.isEmpty { writer.member("tags") { $0.goValue(.object(conversion.tags)) } }
                if let revenue = conversion.revenue { writer.member("revenue", revenue) }
                if let value = conversion.value { writer.member("value") { $0.goNumber(value) } }
            }
        }
    }

    /// A change of the datafile.
    static func configUpdate(revision: String) -> [UInt8] {
        document {
            $0.member("Type", NotificationKind.projectConfigUpdate.rawValue)
            $0.member("Revision", revision)
        }
    }

    private static func write(
        _ type: String, _ user: User, _ segments: [String]?, _ info: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        document {
            $0.member("Type", type)
            $0.user(user, segments: segments)
            $0.object("DecisionInfo", info)
        }
    }

    /// The document without the line break, since an event is one line.
    private static func document(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter.go()
        writer.object(write)
        return writer.goDocument.dropLast()
    }
}

extension JSONWriter {
    fileprivate mutating func user(_ user: User, segments: [String]?) {
        object("UserContext") { writer in
            writer.member("ID", user.id)
            writer.member("Attributes") { $0.goValue(user.attributes) }
            writer.member("QualifiedSegments", segments.map { .array($0.map(JSONValue.string)) } ?? .null)
        }
    }
}
