import FuzzDriver
import TurnoutEngine

/// Any bytes are a project or an error; a project decides every flag for any user, with reasons.
@main struct FuzzDatafile {
    static func main() {
        fuzz { start, count in
            let datafile = bytes(start, count)
            _ = try? JSONValue(parsing: datafile)
            guard let project = try? Project(datafile: datafile, format: .legacy) else { return 0 }
            var user = User("u", attributes: ["a": "x", "n": 5, "d": 1.5, "b": true, "v": "1.2.3-beta"])
            user.segments = ["s"]
            for flag in project.flags {
                let trace = project.explain(flag.key, for: user)
                let decision = project.decide(flag.key, for: user)
                precondition(trace.decision.variationKey == decision.variationKey, "the trace tells another story")
                _ = trace.description.count + trace.json.count
                _ = decision.variables.all.count + trace.decision.reasons.map(\.description).joined().count
            }
            _ = project.warnings.count + project.decideAll(for: user).decisions.count + project.qualifiedSegments.count
            return 0
        }
    }
}
