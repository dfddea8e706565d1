#if Curl && os(Linux)
    import CCurl
    import LibC
    import TurnoutClient

    /// All pending requests, and the connections they share. For use by one thread.
    final class Transfers {
        /// Wakes that thread from any other.
        struct Waker: Sendable {
            fileprivate let (curl, multi): (UInt, UInt)

            func wake() {
                let curl = UnsafePointer<CurlFunctions>(bitPattern: curl)
                _ = curl?.pointee.multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi))
            }
        }

        private let curl: UnsafePointer<CurlFunctions>
        private let multi: UnsafeMutableRawPointer
        private var running: [UnsafeMutableRawPointer: Transfer] = [:]
        /// Wakes the thread from others.
        let waker: Waker

        /// Loads libcurl, which takes some milliseconds, and prepares it.
        ///
        /// - Throws: `TransportError` if libcurl is not installed, or resources are exhausted.
        init() throws(TransportError) {
            curl = try CurlFunctions.loaded()
            // Writing to a broken connection must fail instead of ending the process.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            _ = curl.pointee.global_init(Int(CURL_GLOBAL_DEFAULT))
            guard let multi = curl.pointee.multi_init() else { throw Self.noMemory }
            // Without free file descriptors the handle is created, but cannot be woken.
            guard curl.pointee.multi_wakeup(multi) == CURLM_OK else {
                _ = curl.pointee.multi_cleanup(multi)
                throw Self.noMemory
            }
            self.multi = multi
            waker = Waker(curl: UInt(bitPattern: curl), multi: UInt(bitPattern: multi))
            limitConnections()
            curl_set_limit(curl, multi, CURLMOPT_MAXCONNECTS, 64)
        }

        /// Limits the connections that an unresponsive service can occupy. Far more to one host look like an attack.
        /// Streams, which occupy theirs for as long as they last, do not count: they must not hold up other requests.
        private func limitConnections() {
            let streams = running.values.count { $0.exchange.body != nil }
            curl_set_limit(curl, multi, CURLMOPT_MAX_HOST_CONNECTIONS, 16 + streams)
        }

        private static var noMemory: TransportError {
            TransportError(.unreachable, "libcurl could not be prepared: no memory or no file descriptors left")
        }

        func start(_ exchange: CurlExchange) {
            guard !exchange.isOver else { return }
            guard let transfer = Transfer(exchange, curl),
                curl.pointee.multi_add_handle(multi, transfer.handle) == CURLM_OK
            else { return exchange.end(.failure(Self.noMemory)) }
            running[transfer.handle] = transfer
            if exchange.body != nil { limitConnections() }
        }

        /// Advances all requests, then waits for input, the next deadline, or a wake-up.
        func work() {
            var count: Int32 = 0
            _ = curl.pointee.multi_perform(multi, &count)
            var result = CURLE_OK
            while let handle = curl_next_ended(curl, multi, &result) { remove(handle)?.ended(result) }
            let next = endOverdue()
            let timeout = next.map { max(.zero, ContinuousClock.now.duration(to: $0)) } ?? Self.longestWait
            // Rounded up to the next millisecond.
            let milliseconds = Int32(min(timeout, Self.longestWait) / .milliseconds(1)) + 1
            _ = curl.pointee.multi_poll(multi, nil, 0, milliseconds, nil)
        }

        private static let longestWait = Duration.seconds(3_600)

        /// Ends the requests that are canceled or whose deadline has passed.
        ///
        /// - Returns: The next deadline.
        private func endOverdue() -> ContinuousClock.Instant? {
            let now = ContinuousClock.now
            for (handle, transfer) in running where transfer.exchange.isOver || transfer.exchange.isOverdue(now) {
                // The connection may be dead, so other requests must not reuse it.
                if !transfer.exchange.isOver { curl_set_number(curl, handle, CURLOPT_FORBID_REUSE, 1) }
                transfer.exchange.end(.failure(transfer.exchange.deadlineError))
                _ = remove(handle)
            }
            return running.values.lazy.compactMap(\.exchange.deadline).min()
        }

        private func remove(_ handle: UnsafeMutableRawPointer) -> Transfer? {
            _ = curl.pointee.multi_remove_handle(multi, handle)
            let transfer = running.removeValue(forKey: handle)
            if transfer?.exchange.body != nil { limitConnections() }
            return transfer
        }
    }

    /// A request as a libcurl handle.
    private final class Transfer {
        let handle: UnsafeMutableRawPointer
        let exchange: CurlExchange
        private let curl: UnsafePointer<CurlFunctions>
        private var parts: ResponseParts
        private var headers: UnsafeMutablePointer<curl_slist>?

        /// Prepares to send a request. Returns nil if there is no memory left.
        init?(_ exchange: CurlExchange, _ curl: UnsafePointer<CurlFunctions>) {
            guard let handle = curl.pointee.easy_init() else { return nil }
            self.handle = handle
            self.exchange = exchange
            self.curl = curl
            parts = ResponseParts(limit: exchange.body == nil ? exchange.options.maximumResponseSize : .max)
            set(exchange.request, exchange.options)
            receive()
        }

        deinit {
            curl.pointee.easy_cleanup(handle)
            curl.pointee.slist_free_all(headers)
        }

        private func set(_ request: HTTPRequest, _ options: TransportOptions) {
            curl_set_text(curl, handle, CURLOPT_URL, request.url)
            curl_set_protocols(curl, handle, request.isPlainHTTP ? 1 : 0)
            if request.isPlainHTTP, !options.allowsInsecureHTTP {
                // Loopback: a proxy would receive in clear text what must not leave this machine.
                curl_set_text(curl, handle, CURLOPT_NOPROXY, "*")
            } else if let file = options.authorityFile {
                curl_set_text(curl, handle, CURLOPT_CAINFO, file)
            }
            curl_set_text(curl, handle, CURLOPT_USERAGENT, options.userAgent)
            if exchange.body == nil {
                // All encodings that this libcurl supports.
                curl_set_text(curl, handle, CURLOPT_ACCEPT_ENCODING, "")
            } else {
                // The first head must be the server's, not that of a proxy.
                curl_set_number(curl, handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            }
            // libcurl must not use signals, which affect the whole process.
            curl_set_number(curl, handle, CURLOPT_NOSIGNAL, 1)
            // Deadlines are enforced here; libcurl's default connect timeout could end before long ones.
            curl_set_number(curl, handle, CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
            // Ending a request must not wait for host name resolution, which cannot be interrupted.
            curl_set_quick_exit(curl, handle)
            if request.method == .post {
                curl_set_number(curl, handle, CURLOPT_POST, 1)
                curl_set_size(curl, handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
                _ = request.body.withUnsafeBytes {
                    curl_set_pointer(curl, handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
                }
                // Otherwise libcurl adds a content type, and sends `Expect: 100-continue` before large bodies.
                headers = curl.pointee.slist_append(headers, "Content-Type:")
                headers = curl.pointee.slist_append(headers, "Expect:")
            }
            for (name, value) in request.headersToSend {
                // libcurl omits a header without a value unless it ends with a semicolon.
                let line = value.trimmingBlanks.isEmpty ? "\(name);" : "\(name): \(value)"
                headers = curl.pointee.slist_append(headers, line)
            }
            curl_set_pointer(curl, handle, CURLOPT_HTTPHEADER, headers)
        }

        private func receive() {
            let this = Unmanaged.passUnretained(self).toOpaque()
            curl_set_pointer(curl, handle, CURLOPT_HEADERDATA, this)
            curl_set_function(curl, handle, CURLOPT_HEADERFUNCTION) { line, _, count, this in
                let isTaken = Transfer.known(by: this)?.received(
                    line: UnsafeRawBufferPointer(start: line, count: count))
                // Anything but the count ends the transfer.
                return isTaken == true ? count : 0
            }
            curl_set_pointer(curl, handle, CURLOPT_WRITEDATA, this)
            curl_set_function(curl, handle, CURLOPT_WRITEFUNCTION) { piece, _, count, this in
                let isTaken = Transfer.known(by: this)?.received(
                    piece: UnsafeRawBufferPointer(start: piece, count: count))
                return isTaken == true ? count : 0
            }
        }

        private func received(line: UnsafeRawBufferPointer) -> Bool {
            guard parts.add(line: line) else { return false }
            if exchange.body != nil, parts.hasHead, parts.status >= 200 {
                exchange.received(head: parts.response(status: parts.status))
            }
            return true
        }

        private func received(piece: UnsafeRawBufferPointer) -> Bool {
            guard let body = exchange.body else { return parts.add(body: piece) }
            return exchange.received(Array(piece), in: body)
        }

        private static func known(by pointer: UnsafeMutableRawPointer?) -> Transfer? {
            pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Reports the outcome to the caller.
        func ended(_ result: CURLcode) {
            let status = curl_status(curl, handle)
            if let excess = parts.excess {
                exchange.end(
                    .failure(
                        TransportError(
                            .tooLarge,
                            "the \(excess.part) of the response from \(exchange.request.authority) is larger than "
                                + "\(excess.limit) bytes")))
            } else if result != CURLE_OK {
                let failure = CurlFailure(
                    kind: CurlFailure.Kind(result), proxyStatus: curl_proxy_status(curl, handle),
                    certificateProblem: curl_certificate_problem(curl, handle),
                    connectErrno: Int32(truncatingIfNeeded: curl_connect_errno(curl, handle)))
                exchange.end(.failure(failure.error(exchange.request, exchange.options)))
            } else if status < 200 || !parts.hasHead {
                exchange.end(
                    .failure(
                        TransportError(
                            .unreachable, "what \(exchange.request.authority) sent is not an HTTP response")))
            } else {
                exchange.end(.success(parts.response(status: status)))
            }
        }
    }

    extension CurlFunctions {
        /// The names of the library; the second is built with GnuTLS.
        private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

        /// The functions of the system's libcurl, which stays loaded until the process ends.
        fileprivate static func loaded() throws(TransportError) -> UnsafePointer<CurlFunctions> {
            let functions = UnsafeMutablePointer<CurlFunctions>.allocate(capacity: 1)
            functions.initialize(to: CurlFunctions())
            var problems: [String] = []
            for name in names {
                guard let library = dlopen(name, RTLD_NOW) else {
                    problems.append(dlerror().map { String(cString: $0) } ?? "\(name) cannot be loaded")
                    continue
                }
                if curl_find(library, functions) {
                    curl_spare_openssl(library)
                    return UnsafePointer(functions)
                }
                problems.append("\(name) is older than version 7.68")
            }
            functions.deallocate()
            throw TransportError(
                .unreachable,
                "libcurl cannot be loaded; install the package libcurl4. " + problems.joined(separator: "; "))
        }
    }

    extension CurlFailure.Kind {
        fileprivate init(_ result: CURLcode) {
            switch result {
            case CURLE_URL_MALFORMAT: self = .unreadableAddress
            case CURLE_OPERATION_TIMEDOUT: self = .timedOut
            case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
            case CURLE_COULDNT_RESOLVE_PROXY: self = .unknownProxy
            case CURLE_COULDNT_CONNECT: self = .noConnection
            case CURLE_PEER_FAILED_VERIFICATION: self = .refusedCertificate
            case CURLE_SSL_CACERT_BADFILE: self = .unreadableAuthorities
            case CURLE_SSL_CONNECT_ERROR: self = .noHandshake
            case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: self = .brokenConnection
            default: self = .other(result.rawValue)
            }
        }
    }
#endif
