let client = FlagClient()
