import CCassandra
import TurnoutClient

/// A session with the cluster: its connections, and the threads that serve them.
final class DriverSession: Sendable {
    private let functions: CassandraFunctions
    private let reference: CassandraSessionReference
    private let generation = Fork.generation

    init(_ functions: CassandraFunctions, _ reference: CassandraSessionReference) {
        self.functions = functions
        self.reference = reference
    }

    deinit {
        // A forked process has a copy without the threads, which would be waited for.
        guard generation == Fork.generation else { return }
        // Closing waits for the driver's threads, and this may be one of them.
        BlockingCall.start { [functions, reference] in functions.session_free(reference.pointer) }
    }

    /// Prepares a statement. The closure is called once, on any thread.
    func prepare(
        _ text: String, _ done: @escaping @Sendable (Result<DriverStatement, ProfileServerError>) -> Void
    ) {
        let future = text.withCharacters { functions.session_prepare_n(reference.pointer, $0, $1) }
        functions.whenDone(future) { [functions] future in
            guard let prepared = functions.future_get_prepared(future) else {
                let code = functions.future_error_code(future)
                return done(.failure(ProfileServerError(driverCode: code)))
            }
            done(.success(DriverStatement(functions, CassandraPreparedReference(pointer: prepared))))
        }
    }

    /// Executes requests for one partition: one alone, and several as an unlogged batch. The closure is called
    /// once, on any thread.
    ///
    /// - Parameters:
    ///   - requests: The statements with their values.
    ///   - time: The time of a write, in microseconds since 1970.
    ///   - page: The result whose next page is wanted; nil for the first one.
    ///   - limit: When the driver stops waiting.
    ///   - done: Receives the rows.
    func execute(
        _ requests: [DriverRequest], at time: Int64? = nil, after page: DriverResult? = nil,
        within limit: Duration, _ done: @escaping @Sendable (Result<DriverResult, ProfileServerError>) -> Void
    ) {
        let milliseconds = UInt64(max(1, limit.wholeMilliseconds))
        let future: OpaquePointer?
        if requests.count == 1 {
            guard let statement = bound(requests[0]) else { return done(.failure(.unbound)) }
            defer { functions.statement_free(statement) }
            if let time { _ = functions.statement_set_timestamp(statement, time) }
            if let page { _ = functions.statement_set_paging_state(statement, page.pointer) }
            _ = functions.statement_set_paging_size(statement, 5_000)
            _ = functions.statement_set_request_timeout(statement, milliseconds)
            future = functions.session_execute(reference.pointer, statement)
        } else {
            guard let batch = batch(of: requests) else { return done(.failure(.unbound)) }
            defer { functions.batch_free(batch) }
            if let time { _ = functions.batch_set_timestamp(batch, time) }
            _ = functions.batch_set_request_timeout(batch, milliseconds)
            future = functions.session_execute_batch(reference.pointer, batch)
        }
        functions.whenDone(future) { [functions] future in
            guard let result = functions.future_get_result(future) else {
                let code = functions.future_error_code(future)
                return done(.failure(ProfileServerError(driverCode: code)))
            }
            done(.success(DriverResult(functions, CassandraResultReference(pointer: result))))
        }
    }

    /// A statement with its values, or nil if they do not fit the table's columns.
    private func bound(_ request: DriverRequest) -> OpaquePointer? {
        guard let statement = request.statement.bind() else { return nil }
        var isBound = functions.statement_set_is_idempotent(statement, 1) == 0
        for (place, text) in request.texts.enumerated() where isBound {
            isBound = text.withCharacters { functions.statement_bind_string_n(statement, place, $0, $1) } == 0
        }
        if let number = request.number, isBound {
            isBound = functions.statement_bind_int32(statement, request.texts.count, number) == 0
        }
        if isBound { return statement }
        functions.statement_free(statement)
        return nil
    }

    private func batch(of requests: [DriverRequest]) -> OpaquePointer? {
        guard let batch = functions.batch_new(UInt32(CASSANDRA_UNLOGGED_BATCH)) else { return nil }
        _ = functions.batch_set_is_idempotent(batch, 1)
        for request in requests {
            guard let statement = bound(request) else {
                functions.batch_free(batch)
                return nil
            }
            _ = functions.batch_add_statement(batch, statement)
            functions.statement_free(statement)
        }
        return batch
    }
}

/// A prepared statement. The driver prepares it again on nodes that do not know it.
final class DriverStatement: Sendable {
    private let functions: CassandraFunctions
    private let reference: CassandraPreparedReference

    fileprivate init(_ functions: CassandraFunctions, _ reference: CassandraPreparedReference) {
        self.functions = functions
        self.reference = reference
    }

    deinit { functions.prepared_free(reference.pointer) }

    fileprivate func bind() -> OpaquePointer? { functions.prepared_bind(reference.pointer) }
}

/// A statement with its values: texts, and a number after them.
struct DriverRequest: Sendable {
    let statement: DriverStatement
    var texts: [String] = []
    var number: Int32?
}

/// The rows of a response.
final class DriverResult: Sendable {
    private let functions: CassandraFunctions
    private let reference: CassandraResultReference

    fileprivate init(_ functions: CassandraFunctions, _ reference: CassandraResultReference) {
        self.functions = functions
        self.reference = reference
    }

    deinit { functions.result_free(reference.pointer) }

    fileprivate var pointer: OpaquePointer? { reference.pointer }

    var count: Int { functions.result_row_count(reference.pointer) }

    /// Whether more rows follow, on another page.
    var hasMore: Bool { functions.result_has_more_pages(reference.pointer) != 0 }

    /// Adds the rows with two texts: the first is the key.
    func add(to values: inout [String: String]) {
        guard let rows = functions.iterator_from_result(reference.pointer) else { return }
        defer { functions.iterator_free(rows) }
        while functions.iterator_next(rows) != 0 {
            guard let row = functions.iterator_get_row(rows), let key = text(row, 0), let value = text(row, 1)
            else { continue }
            values[key] = value
        }
    }

    private func text(_ row: OpaquePointer, _ column: Int) -> String? {
        var (text, length): (UnsafePointer<CChar>?, Int) = (nil, 0)
        guard let value = functions.row_get_column(row, column),
            functions.value_get_string(value, &text, &length) == 0
        else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }
}

/// The completion handler of a future.
private final class Completion: Sendable {
    let body: @Sendable (OpaquePointer) -> Void
    init(_ body: @escaping @Sendable (OpaquePointer) -> Void) { self.body = body }
}

extension CassandraFunctions {
    /// Calls `body` once when a future has ended: on a thread of the driver, or at once on this one.
    func whenDone(_ future: OpaquePointer?, _ body: @escaping @Sendable (OpaquePointer) -> Void) {
        let completion = Unmanaged.passRetained(Completion(body))
        _ = future_set_callback(
            future,
            { future, completion in
                guard let future, let completion else { return }
                Unmanaged<Completion>.fromOpaque(completion).takeRetainedValue().body(future)
            }, completion.toOpaque())
        future_free(future)
    }
}

extension ProfileServerError {
    /// Converts an error of the driver. Its text is omitted: servers quote user names and values in theirs.
    init(driverCode code: CassandraCode) {
        switch Int(code) {
        case CASSANDRA_SSL_INVALID_CERTIFICATE...CASSANDRA_SSL_CLOSED:
            self.init(
                .untrusted,
                "the connection cannot be encrypted: the certificate of a node is not accepted, or its port does "
                    + "not speak TLS", indicatesOutage: true)
        default:
            self = Self.meanings[Int(code)] ?? Self(.rejected, "error 0x\(String(code, radix: 16)) of the driver")
        }
    }

    private static let meanings: [Int: ProfileServerError] = [
        CASSANDRA_NO_HOSTS: .unreachable,
        CASSANDRA_UNABLE_TO_CONNECT: .unreachable,
        CASSANDRA_WRITE_ERROR: Self(.unreachable, "the connection to a node broke"),
        CASSANDRA_HOST_RESOLUTION: Self(
            .unreachable, "the name of a node cannot be resolved", indicatesOutage: true),
        CASSANDRA_REQUEST_TIMED_OUT: .silent,
        CASSANDRA_NO_STREAMS: .overloaded,
        CASSANDRA_QUEUE_FULL: .overloaded,
        CASSANDRA_OVERLOADED: Self(.unavailable, "a node is overloaded"),
        CASSANDRA_BOOTSTRAPPING: Self(.unavailable, "a node is still starting"),
        CASSANDRA_UNAVAILABLE: Self(.unavailable, "too few replicas are up for this consistency"),
        CASSANDRA_WRITE_TIMEOUT: Self(
            .deadlineExceeded, "too few replicas confirmed the write in time; it may be stored or not"),
        CASSANDRA_READ_TIMEOUT: Self(.deadlineExceeded, "too few replicas responded in time"),
        CASSANDRA_READ_FAILURE: Self(.unavailable, "a replica could not read"),
        CASSANDRA_WRITE_FAILURE: Self(.unavailable, "a replica could not write; the rest may be stored or not"),
        CASSANDRA_BAD_CREDENTIALS: Self(
            .refused, "the cluster refuses the user name or the password, or requires them", indicatesOutage: true),
        CASSANDRA_UNAUTHORIZED: Self(.refused, "the user may not read or change the table"),
        CASSANDRA_INVALID_QUERY: .invalidQuery,
        CASSANDRA_SERVER_ERROR: Self(.rejected, "a node responded with an internal error"),
        CASSANDRA_PROTOCOL_ERROR: Self(.invalidResponse, "a node rejected the request as a protocol error"),
        CASSANDRA_UNEXPECTED_RESPONSE: Self(.invalidResponse, "a node's response is not valid"),
        CASSANDRA_NO_PROTOCOL: Self(
            .invalidResponse, "the driver and the nodes share no protocol version", indicatesOutage: true),
    ]
}
