import TurnoutEngine

extension ExperimentResults {
    /// The results as one JSON object. Members without a value are left out.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        writer.newline()
        return writer.bytes
    }

    /// Reads what ``json`` writes.
    package init(json: [UInt8]) throws { self = try JSONValue(parsing: json).decoded(as: ExperimentResults.self) }

    private func write(to json: inout JSONWriter) {
        json.object("experiment") { experiment.write(to: &$0) }
        json.member("state", state.rawValue)
        json.member("verdict", verdict)
        if let note { json.member("note", note) }
        if let lastDay { json.member("lastDay", Int(lastDay)) }
        if let daysToGo { json.member("daysToGo", daysToGo) }
        json.objects("arms", arms) { json, arm in
            json.member("key", arm.key)
            json.member("id", arm.id)
            json.member("visitors", arm.visitors)
            json.objects("byDay", arm.byDay) { json, count in
                json.member("day", Int(count.day))
                json.member("visitors", count.visitors)
            }
        }
        if let ratio { json.object("ratio") { ratio.write(to: &$0) } }
        json.objects("metrics", metrics) { $1.write(to: &$0) }
        json.objects("leftOut", leftOut) { json, each in
            json.member("reason", each.reason)
            json.member("unit", each.unit)
            json.list("counts", each.counts) { $0.integer(Int64($1)) }
        }
        json.objects("sources", sources) { json, source in
            json.member("variation", source.variation)
            json.member("client", source.client)
            json.member("version", source.version)
            json.member("day", Int(source.day))
            json.member("visitors", source.visitors)
        }
    }
}

extension ExperimentResults.Experiment {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("key", key)
        if let flag { json.member("flag", flag) }
        json.member("environment", environment)
        json.member("projectID", projectID)
        json.member("isRunning", isRunning)
        if let start { json.member("start", Int(start)) }
        if let stop { json.member("stop", Int(stop)) }
        if let finalSince { json.member("finalSince", Int(finalSince)) }
        json.member("plannedVisitors", plannedVisitors)
        json.member("isPlanned", isPlanned)
    }
}

extension ExperimentResults.Ratio {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("isOff", isOff)
        json.objects("periods", periods) { json, period in
            json.member("since", Int(period.since))
            json.list("shares", period.shares) { $0.double($1) }
            json.list("visitors", period.visitors) { $0.integer(Int64($1)) }
            json.member("p", period.p)
            json.member("chiSquareP", period.chiSquareP)
        }
    }
}

extension ExperimentResults.Metric {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("name", name)
        json.member("event", event)
        json.member("count", count)
        json.member("decreaseIsBetter", decreaseIsBetter)
        json.member("isPrimary", isPrimary)
        json.member("confidence", confidence)
        if let windowDays { json.member("windowDays", windowDays) }
        if let winsorised {
            json.object("winsorised") { json in
                json.member("percentile", winsorised.percentile)
                json.member("value", winsorised.value)
                json.member("visitors", winsorised.visitors)
            }
        }
        json.list("means", means) { json, mean in mean.map { json.double($0) } ?? json.null() }
        for (name, counts) in [("visitors", visitors), ("unfinished", unfinished), ("corrected", corrected)] {
            json.list(name, counts) { $0.integer(Int64($1)) }
        }
        json.objects("comparisons", comparisons) { $1.write(to: &$0) }
    }
}

extension ExperimentResults.Comparison {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("variation", variation)
        difference?.write("difference", to: &json)
        lift?.write("lift", to: &json)
        json.member("isRelative", isRelative)
        if let p { json.member("p", p) }
        if let adjustedP { json.member("adjustedP", adjustedP) }
        json.member("isSignificant", isSignificant)
        json.member("isIncrease", isIncrease)
        json.member("effectHasChanged", effectHasChanged)
        if let explainedVariance { json.member("explainedVariance", explainedVariance) }
        unadjustedLift?.write("unadjustedLift", to: &json)
        if let pBefore { json.member("pBefore", pBefore) }
        if let fixedHorizonP { json.member("fixedHorizonP", fixedHorizonP) }
        fixedHorizon?.write("fixedHorizon", to: &json)
        json.objects("looks", looks) { json, look in
            json.member("day", Int(look.day))
            json.member("visitors", look.visitors)
            look.effect.write("effect", to: &json)
            json.member("p", look.p)
        }
    }
}

extension ExperimentResults.Estimate {
    fileprivate func write(_ name: String, to json: inout JSONWriter) {
        json.object(name) { json in
            json.member("value", value)
            json.member("low", low)
            json.member("high", high)
        }
    }
}
