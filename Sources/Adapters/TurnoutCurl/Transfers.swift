#if Curl && os(Linux)
    import CCurl
    import TurnoutClient

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// All requests that are on their way, and the connections they share. For one thread.
    final class Transfers {
        /// Ends the wait of that thread, from any other.
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
        /// Lets others wake the thread.
        let waker: Waker

        /// Loads libcurl, which takes some milliseconds, and prepares it.
        ///
        /// - Throws: The system does not have it, or no memory for it.
        init() throws(TransportError) {
            curl = try CurlFunctions.loaded()
            // What writes to a broken connection hears of it, but the process must not end.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            _ = curl.pointee.global_init(Int(CURL_GLOBAL_DEFAULT))
            guard let multi = curl.pointee.multi_init() else { throw Self.noMemory }
            // It is made without what waking it takes, if there is none of that left.
            guard curl.pointee.multi_wakeup(multi) == CURLM_OK else {
                _ = curl.pointee.multi_cleanup(multi)
                throw Self.noMemory
            }
            self.multi = multi
            waker = Waker(curl: UInt(bitPattern: curl), multi: UInt(bitPattern: multi))
            // A service that does not answer takes no more than these. Far more to one host look like an attack.
            curl_set_limit(curl, multi, CURLMOPT_MAX_HOST_CONNECTIONS, 16)
            curl_set_limit(curl, multi, CURLMOPT_MAXCONNECTS, 64)
        }

        private static var noMemory: TransportError { TransportError(.unreachable, "no memory for requests") }

        /// Sends a request.
        func start(_ exchange: Exchange) {
            guard !exchange.isOver else { return }
            guard let transfer = Transfer(exchange, curl),
                curl.pointee.multi_add_handle(multi, transfer.handle) == CURLM_OK
            else { return exchange.end(.failure(Self.noMemory)) }
            running[transfer.handle] = transfer
        }

        /// Does what there is to do, and waits until there is more, or until somebody wakes the thread.
        func work() {
            var count: Int32 = 0
            _ = curl.pointee.multi_perform(multi, &count)
            var result = CURLE_OK
            while let handle = curl_next_ended(curl, multi, &result) { remove(handle)?.ended(result) }
            let next = endOverdue()
            let patience = next.map { max(.zero, ContinuousClock.now.duration(to: $0)) } ?? Self.longestWait
            // A millisecond more, because parts of one do not count.
            let milliseconds = Int32(min(patience, Self.longestWait) / .milliseconds(1)) + 1
            _ = curl.pointee.multi_poll(multi, nil, 0, milliseconds, nil)
        }

        private static let longestWait = Duration.seconds(3_600)

        /// Ends the requests whose time is up, or for which nobody waits.
        ///
        /// - Returns: When the next one's time is up.
        private func endOverdue() -> ContinuousClock.Instant? {
            let now = ContinuousClock.now
            for (handle, transfer) in running where transfer.exchange.isOver || transfer.exchange.deadline <= now {
                // Others would wait in vain, too, if the connection is dead.
                if !transfer.exchange.isOver { curl_set_number(curl, handle, CURLOPT_FORBID_REUSE, 1) }
                transfer.exchange.end(.failure(TransportError(.deadlineExceeded, "no complete answer in time")))
                _ = remove(handle)
            }
            return running.values.lazy.map(\.exchange.deadline).min()
        }

        private func remove(_ handle: UnsafeMutableRawPointer) -> Transfer? {
            _ = curl.pointee.multi_remove_handle(multi, handle)
            return running.removeValue(forKey: handle)
        }
    }

    /// One request as libcurl knows it.
    private final class Transfer {
        let handle: UnsafeMutableRawPointer
        let exchange: Exchange
        private let curl: UnsafePointer<CurlFunctions>
        private var parts: AnswerParts
        private var headers: UnsafeMutablePointer<curl_slist>?

        /// Prepares to send a request; nil: there is no memory for it.
        init?(_ exchange: Exchange, _ curl: UnsafePointer<CurlFunctions>) {
            guard let handle = curl.pointee.easy_init() else { return nil }
            self.handle = handle
            self.exchange = exchange
            self.curl = curl
            parts = AnswerParts(limit: exchange.options.maximumResponseSize)
            set(exchange.request, exchange.options)
            receive()
        }

        deinit {
            curl.pointee.easy_cleanup(handle)
            curl.pointee.slist_free_all(headers)
        }

        private func set(_ request: HTTPRequest, _ options: TransportOptions) {
            curl_set_text(curl, handle, CURLOPT_URL, request.url)
            curl_set_protocols(curl, handle, options.allowsInsecureHTTP ? 1 : 0)
            curl_set_text(curl, handle, CURLOPT_USERAGENT, options.userAgent)
            // All codings that this libcurl knows.
            curl_set_text(curl, handle, CURLOPT_ACCEPT_ENCODING, "")
            // Signals are for whole processes.
            curl_set_number(curl, handle, CURLOPT_NOSIGNAL, 1)
            // Deadlines are kept here; libcurl's own limit for connecting would come before long ones.
            curl_set_number(curl, handle, CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
            // Whoever ends a request does not wait for the lookup of its host, which nobody can interrupt.
            curl_set_quick_exit(curl, handle)
            if request.method == .post {
                curl_set_number(curl, handle, CURLOPT_POST, 1)
                curl_set_size(curl, handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
                _ = request.body.withUnsafeBytes {
                    curl_set_pointer(curl, handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
                }
                // Otherwise libcurl names a type by itself, and asks servers before it sends a megabyte.
                headers = curl.pointee.slist_append(headers, "Content-Type:")
                headers = curl.pointee.slist_append(headers, "Expect:")
            }
            for (name, value) in request.headersToSend {
                // Without a value a header is left out, unless it ends like this.
                let line = value.trimmingBlanks.isEmpty ? "\(name);" : "\(name): \(value)"
                headers = curl.pointee.slist_append(headers, line)
            }
            curl_set_pointer(curl, handle, CURLOPT_HTTPHEADER, headers)
        }

        private func receive() {
            let this = Unmanaged.passUnretained(self).toOpaque()
            curl_set_pointer(curl, handle, CURLOPT_HEADERDATA, this)
            curl_set_function(curl, handle, CURLOPT_HEADERFUNCTION) { line, _, count, this in
                let isTaken = Transfer.known(by: this)?.parts.add(
                    line: UnsafeRawBufferPointer(start: line, count: count))
                // Anything but the count ends the transfer.
                return isTaken == true ? count : 0
            }
            curl_set_pointer(curl, handle, CURLOPT_WRITEDATA, this)
            curl_set_function(curl, handle, CURLOPT_WRITEFUNCTION) { piece, _, count, this in
                let isTaken = Transfer.known(by: this)?.parts.add(
                    body: UnsafeRawBufferPointer(start: piece, count: count))
                return isTaken == true ? count : 0
            }
        }

        private static func known(by pointer: UnsafeMutableRawPointer?) -> Transfer? {
            pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Tells who waits what came of it.
        func ended(_ result: CURLcode) {
            let status = curl_status(curl, handle)
            if parts.isTooLarge {
                let limit = exchange.options.maximumResponseSize
                exchange.end(.failure(TransportError(.tooLarge, "the answer is larger than \(limit) bytes")))
            } else if result != CURLE_OK {
                exchange.end(.failure(TransportError(result)))
            } else if status < 200 || !parts.hasHead {
                exchange.end(.failure(TransportError(.unreachable, "what came is not an answer")))
            } else {
                exchange.end(.success(parts.response(status: status)))
            }
        }
    }

    extension CurlFunctions {
        /// What the library is called; the other one has another library for TLS.
        private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]

        /// Those of the system's libcurl, for as long as the process lives.
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
                problems.append("\(name) is older than 7.68")
            }
            functions.deallocate()
            throw TransportError(.unreachable, "no libcurl: " + problems.joined(separator: "; "))
        }
    }

    extension TransportError {
        /// What an error of libcurl means. Its own texts are left out, because addresses are in them.
        fileprivate init(_ result: CURLcode) {
            switch result {
            case CURLE_URL_MALFORMAT: self.init(.badAddress, "the address cannot be read, or names no host")
            case CURLE_OPERATION_TIMEDOUT: self.init(.deadlineExceeded, "no answer for too long")
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
                self.init(.unreachable, "the host is not known")
            case CURLE_COULDNT_CONNECT: self.init(.unreachable, "nobody listens there")
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
                self.init(.unreachable, "no secure connection could be made")
            case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
                self.init(.unreachable, "the connection broke")
            default: self.init(.unreachable, "the request failed, with libcurl's code \(result.rawValue)")
            }
        }
    }
#endif
