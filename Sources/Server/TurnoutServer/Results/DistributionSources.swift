import TurnoutClient
import TurnoutSQLite

/// The clients of a project with their versions, in their order, and the numbers that they have in the file.
struct DistributionSources {
    private(set) var all = [(client: "", version: "")]
    private(set) var places: [Int64: Int] = [:]
    private var placesOfClients: [[ByteKey]: Int] = [:]

    /// The clients and versions of an experiment's exposures, which an engine has.
    init(of exposures: EngineResult) {
        var known: Set<[ByteKey]> = []
        for block in exposures.blocks {
            let clients = ClientColumns(block)
            known.formUnion(Set(clients.pairs).map(clients.client))
        }
        known.remove(["", ""].map(ByteKey.init))
        let sorted = known.map { $0.map(\.text) }.sorted { left, right in
            left.lexicographicallyPrecedes(right) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        all += sorted.map { ($0[0], $0[1]) }
        placesOfClients = Dictionary(
            uniqueKeysWithValues: zip(all.map { [ByteKey($0.client), ByteKey($0.version)] }, all.indices))
    }

    init(ofProject id: String, _ connection: SQLiteConnection) throws {
        let statement = try connection.statement(
            """
            SELECT id, ifnull(client, '') AS name, ifnull(version, '') AS number FROM sources WHERE project = ?
            ORDER BY name, number
            """)
        statement.bind(1, id)
        defer { statement.reset() }
        while try statement.step() {
            let (client, version) = (statement.text(1), statement.text(2))
            let last = all[all.count - 1]
            if !last.client.utf8.elementsEqual(client.utf8) || !last.version.utf8.elementsEqual(version.utf8) {
                all.append((client, version))
            }
            places[statement.int(0)] = all.count - 1
        }
    }

    /// The place in the list of each row's client.
    func places(of exposures: EngineResult.Block) -> [Int] {
        let clients = ClientColumns(exposures)
        var known: [Int64: Int] = [:]
        return clients.pairs.map { pair in
            if let place = known[pair] { return place }
            let place = placesOfClients[clients.client(of: pair)] ?? 0
            known[pair] = place
            return place
        }
    }
}

/// The clients and versions of exposures' rows.
private struct ClientColumns {
    private let clients, versions: EngineTexts

    init(_ exposures: EngineResult.Block) { (clients, versions) = (exposures.texts(2), exposures.texts(3)) }

    /// For each row, the places of its texts among the different ones of both columns.
    var pairs: [Int64] { zip(clients.places, versions.places).map { Int64($0) << 32 | Int64($1) } }

    func client(of pair: Int64) -> [ByteKey] {
        [ByteKey(clients.values[Int(pair >> 32)]), ByteKey(versions.values[Int(pair & 0xFFFF_FFFF)])]
    }
}
