import TurnoutEngine

/// `GET /flags/usage`: which flags are decided, how often, and with which variations.
struct FlagUsageRoutes: Sendable {
    let usage: FlagUsage
    let datafiles: DatafileDirectory

    var all: [Route] {
        [
            Route(
                "GET", "/flags/usage", "the decisions of flags by variation and hour", access: .management(.read)
            ) { _ in
                .blocking { .json(200, json) }
            }
        ]
    }

    /// The counts as one JSON object; SDK keys are shortened.
    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            json.member("since", Timestamp.text(usage.since))
            json.objects("datafiles", usage.sdkKeys) { json, sdkKey in
                json.member("sdkKey", sdkKey.keyLabel)
                json.member("environment", datafiles[sdkKey]?.project.environmentKey)
                json.objects("flags", usage.usage(sdkKey: sdkKey).sorted { $0.key < $1.key }) { json, flag in
                    json.member("key", flag.key)
                    json.objects("variations", flag.value.sorted { $0.key < $1.key }) { json, variation in
                        json.member("key", variation.key.isEmpty ? nil : variation.key)
                        json.member("total", variation.value.total)
                        json.member("count24h", variation.value.count24h)
                        json.list("hours", variation.value.hours) { $0.integer(Int64($1)) }
                        json.member("lastSeen", Timestamp.text(variation.value.lastSeen))
                    }
                }
            }
            json.member("others", usage.others)
        }
        writer.newline()
        return writer.bytes
    }
}
