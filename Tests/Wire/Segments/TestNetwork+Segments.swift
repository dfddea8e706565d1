extension TestNetwork {
    /// The segment events of each request, after validation.
    func segmentBatches(
        _ address: String = Address.segmentEvents, key: String = "key-of-the-platform"
    ) throws -> [[JSONValue]] {
        try requests(address).map { request in
            #expect(request.headers["x-api-key"] == key && request.headers["content-type"] == "application/json")
            return try parsed(request, as: FieldTable.segmentEvents).elements
        }
    }
}

/// The actions of the events in each request.
func actions(_ batches: [[JSONValue]]) -> [[String]] { batches.map { $0.compactMap { $0["action"]?.text } } }
