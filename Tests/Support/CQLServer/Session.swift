/// The state of one connection in the protocol.
struct Session {
    enum Phase {
        case new
        case authenticating
        case ready
    }

    let node: Int
    var phase = Phase.new
    var keyspace: String?
    /// The kinds of events that the driver wants.
    var events: Set<String> = []

    init(node: Int) { self.node = node }
}

/// What happens with a written answer.
enum Delivery: Equatable {
    case now
    /// After this many nanoseconds.
    case later(Int)
    case never
    /// Half of it, then the connection ends.
    case half
}

/// Requests that are not about rows.
extension ServerState {
    /// Answers a message. The answer is appended to the writer.
    mutating func answer(
        _ header: FrameHeader, _ reader: FrameReader, _ session: inout Session, to writer: inout FrameWriter
    ) -> Delivery {
        var reader = reader
        writer.begin(.error, stream: header.stream)
        do throws(CQLError) {
            guard header.version == FrameHeader.version else {
                throw .protocolError(
                    "Invalid or unsupported protocol version (\(header.version)); supported versions are (4/v4)")
            }
            guard header.flags & 0x01 == 0 else { throw .protocolError("compression was not negotiated") }
            if header.flags & 0x04 != 0 { try reader.skipBytesMap() }
            guard let opcode = Opcode(rawValue: header.opcode) else {
                throw .protocolError("the opcode \(header.opcode) is unknown")
            }
            let delivery = try answer(opcode, &reader, &session, to: &writer)
            writer.end()
            return delivery
        } catch {
            writer.restart(.error)
            error.write(to: &writer)
            writer.end()
            // Others are those of the driver's own queries, which are not delayed, either.
            let isOnRows = [Opcode.execute.rawValue, Opcode.batch.rawValue].contains(header.opcode)
            return isOnRows ? delayed(session) : .now
        }
    }

    private mutating func answer(
        _ opcode: Opcode, _ reader: inout FrameReader, _ session: inout Session, to writer: inout FrameWriter
    ) throws(CQLError) -> Delivery {
        switch opcode {
        case .options:
            writer.setOpcode(.supported)
            writer.short(3)
            for (name, values) in [
                ("COMPRESSION", []), ("CQL_VERSION", [SystemTables.languageVersion]), ("PROTOCOL_VERSIONS", ["4/v4"]),
            ] {
                writer.string(name)
                writer.stringList(values)
            }
        case .startup:
            try reader.skipStringMap()
            session.phase = credentials == nil ? .ready : .authenticating
            writer.setOpcode(credentials == nil ? .ready : .authenticate)
            if credentials != nil { writer.string("org.apache.cassandra.auth.PasswordAuthenticator") }
        case .authResponse:
            try authenticate(try reader.longBytes() ?? [], &session)
            writer.setOpcode(.authSuccess)
            writer.longBytes(nil)
        case .register:
            try checkReady(session)
            session.events.formUnion(try reader.stringList())
            writer.setOpcode(.ready)
        case .query, .prepare, .execute, .batch:
            try checkReady(session)
            return try answerStatement(opcode, &reader, &session, to: &writer)
        default: throw .protocolError("a client does not send \(opcode)")
        }
        return .now
    }

    private func checkReady(_ session: Session) throws(CQLError) {
        guard session.phase == .ready else { throw .protocolError("the connection is not ready") }
    }

    /// Checks a token of SASL's PLAIN: an identity, the user and the password, each after a zero byte.
    private func authenticate(_ token: [UInt8], _ session: inout Session) throws(CQLError) {
        let parts = token.split(separator: 0, omittingEmptySubsequences: false)
        guard session.phase == .authenticating, let credentials else {
            throw .protocolError("no authentication was asked for")
        }
        guard parts.count == 3, String(decoding: parts[1], as: UTF8.self) == credentials.user,
            String(decoding: parts[2], as: UTF8.self) == credentials.password
        else { throw .badCredentials("the user name or the password is wrong") }
        session.phase = .ready
    }
}
