let (store, new, old) = (MemoryProfileStore(), MemoryProfileStore(), MemoryProfileStore())
let timeout = Duration.milliseconds(20)
let datafile: [UInt8] = []
