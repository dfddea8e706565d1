let client = FlagClient()
let datafile: [UInt8] = []
let moved: [UInt8] = []
let ada = FlagClient().user("ada")
protocol Table: Sendable {
    func variationsByExperiment(of userID: String) throws -> [String: String]
    func upsert(_ userID: String, _ experimentID: String, _ variationID: String) throws
}
let store = MemoryProfileStore()
let timeout = Duration.milliseconds(20)
