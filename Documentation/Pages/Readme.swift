let optimizely = OptimizelyClient(sdkKey: "")
