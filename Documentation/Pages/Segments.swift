let transport = MemoryTransport()
let datafile: [UInt8] = []
let storage = SQLiteStorage.open(directory: "")
let device = DeviceID.new()
