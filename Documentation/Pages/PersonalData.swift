let client = FlagClient()
let transport = MemoryTransport()
let profiles = MemoryProfileStore()
let log = MemoryLog()
