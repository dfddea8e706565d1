let directory = ""
let client = FlagClient()
