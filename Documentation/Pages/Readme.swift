let optimizely = OptimizelyClient(sdkKey: "")
let client = FlagClient()
