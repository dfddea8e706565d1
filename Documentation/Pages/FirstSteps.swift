let (country, orders): (String?, Int?) = ("US", nil)
let newer: [UInt8] = []
let source = MemoryDatafileSource()
let server = Server()
struct Server { func run() async throws {} }
