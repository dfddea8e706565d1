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
            writer.key("variables")
            writer.goValue(decision.variables)
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
                writer.key("variableValues")
                writer.goValue(decision.variables)
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
        var writer = JSONWriter.go()
        writer.beginObject()
        writer.member("EventKey", conversion.eventKey)
        writer.user(user, segments: nil)
        writer.key("EventTags")
        writer.goValue(.object(conversion.tags))
        writer.key("ConversionEvent")
        writer.beginObject()
        writer.member("entity_id", conversion.eventID)
        writer.member("key", conversion.eventKey)
        writer.list("Attributes", project.declaredAttributes) { writer, attribute in
            guard let value = user.attributes[attribute.key] else { return }
            writer.object { writer in
                writer.key("value")
                writer.goValue(value)
                writer.member("key", attribute.key)
                writer.member("type", "custom")
                writer.member("entity_id", attribute.id)
            }
        }
        if !conversion.tags.isEmpty {
            writer.key("tags")
            writer.goValue(.object(conversion.tags))
        }
        if let revenue = conversion.revenue {
            writer.key("revenue")
            writer.integer(revenue)
        }
        if let value = conversion.value {
            writer.key("value")
            writer.goNumber(value)
        }
        writer.endObject()
        writer.endObject()
        return document(writer)
    }

    /// A change of the datafile.
    static func configUpdate(revision: String) -> [UInt8] {
        var writer = JSONWriter.go()
        writer.beginObject()
        writer.member("Type", NotificationKind.projectConfigUpdate.rawValue)
        writer.member("Revision", revision)
        writer.endObject()
        return document(writer)
    }

    private static func write(
        _ type: String, _ user: User, _ segments: [String]?, _ info: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter.go()
        writer.beginObject()
        writer.member("Type", type)
        writer.user(user, segments: segments)
        writer.object("DecisionInfo", info)
        writer.endObject()
        return document(writer)
    }

    /// The document without the line break, since an event is one line.
    private static func document(_ writer: JSONWriter) -> [UInt8] { writer.goDocument.dropLast() }
}

extension JSONWriter {
    fileprivate mutating func user(_ user: User, segments: [String]?) {
        key("UserContext")
        beginObject()
        member("ID", user.id)
        key("Attributes")
        goValue(user.attributes)
        if let segments {
            member("QualifiedSegments", segments)
        } else {
            key("QualifiedSegments")
            null()
        }
        endObject()
    }
}
