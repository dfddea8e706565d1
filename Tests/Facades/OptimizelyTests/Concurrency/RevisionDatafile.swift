/// Datafiles whose parts all contain the revision, so that a mixture is detected.
enum RevisionDatafile {
    static let flagKeys = (0..<8).map { "flag_\($0)" }

    /// A datafile whose variations and variables contain the revision.
    static func data(_ revision: Int) -> Data {
        let experiments = flagKeys.indices.map { number in
            """
            {"id":"1\(number)","key":"rule_\(number)","status":"Running","layerId":"2\(number)","audienceIds":[],
             "forcedVariations":{},"trafficAllocation":[{"entityId":"3\(number)","endOfRange":10000}],
             "variations":[{"id":"3\(number)","key":"revision_\(revision)","featureEnabled":true,
                            "variables":[{"id":"4\(number)","value":"\(revision)"}]}]}
            """
        }
        let flags = flagKeys.indices.map { number in
            """
            {"id":"5\(number)","key":"flag_\(number)","rolloutId":"","experimentIds":["1\(number)"],
             "variables":[{"id":"4\(number)","key":"revision","type":"integer","defaultValue":"0"}]}
            """
        }
        return Data(
            """
            {"version":"4","accountId":"1","projectId":"2","revision":"\(revision)","anonymizeIP":true,"attributes":[],
             "events":[{"id":"9","key":"purchase","experimentIds":[]}],"audiences":[],"groups":[],"rollouts":[],
             "featureFlags":[\(flags.joined(separator: ","))],"experiments":[\(experiments.joined(separator: ","))]}
            """.utf8)
    }
}
