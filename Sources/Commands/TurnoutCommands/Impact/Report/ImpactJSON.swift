import TurnoutEngine

extension ImpactSummary {
    /// The comparison as one JSON object. `ImpactCommand` explains its members.
    package var json: String {
        JSONWriter.object { json in
            for (name, datafile) in [("old", old), ("new", new)] {
                json.object(name) { json in
                    json.member("file", datafile.name)
                    json.member("revision", datafile.revision)
                }
            }
            json.member("source", source)
            json.member("users", users)
            json.member("isSample", isSample)
            json.object("moved") { write(movedUsers, to: &$0) }
            for (name, kind) in ChangeKinds.named { json.object(name) { write(users(kind), to: &$0) } }
            json.member("flagsAdded", addedFlags)
            json.member("flagsRemoved", removedFlags)
            json.member("notCompared", notCompared)
            json.objects("flags", flags) { write($1, to: &$0) }
            json.objects("examples", examples) { json, example in
                json.member("user", example.userID)
                json.objects("changes", example.changes) { json, change in
                    json.member("flag", change.flagKey)
                    write(change.change, to: &json)
                }
            }
        }.text + "\n"
    }

    private func write(_ flag: FlagImpact, to json: inout JSONWriter) {
        json.member("flag", flag.key)
        json.object("moved") { write(flag.movedUsers, to: &$0) }
        json.objects("matrix", flag.cells) { json, cell in
            for (name, state) in [("from", cell.old), ("to", cell.new)] {
                json.object(name) { json in
                    json.member("variation", state.variation)
                    json.member("enabled", state.isEnabled)
                }
            }
            write(cell.users, to: &json)
        }
        json.objects("changes", flag.changes) { json, change in
            write(change.change, to: &json)
            write(change.users, to: &json)
            json.member("examples", change.examples)
        }
    }

    private func write(_ change: FlagChange, to json: inout JSONWriter) {
        json.member("kinds", change.kinds.names)
        for (name, state) in [("from", change.old), ("to", change.new)] {
            json.object(name) { json in
                json.member("variation", state.variation)
                json.member("variationID", state.variationID)
                json.member("enabled", state.isEnabled)
                json.member("rule", state.rule)
                json.member("ruleID", state.ruleID)
            }
        }
        json.objects("variables", change.variables) { json, variable in
            json.member("variable", variable.key)
            // Values are JSON already; a missing one is null.
            json.member("from", variable.old.flatMap { try? JSONValue(parsing: $0) } ?? .null)
            json.member("to", variable.new.flatMap { try? JSONValue(parsing: $0) } ?? .null)
        }
    }

    private func write(_ users: Int, to json: inout JSONWriter) {
        json.member("users", users)
        json.member("share", share(users))
        guard let interval = interval(users) else { return }
        json.member("interval", .array([.double(interval.lowerBound), .double(interval.upperBound)]))
    }
}
