#if Memcached
    import CMemcached

    /// A connection to one server, the only place that calls libmemcached. For one thread at a time; after an error it
    /// must not be used again, since an answer may still be on its way.
    ///
    /// The protocol is the one in ASCII. It is what proxies understand, its binary rival is being retired, and there
    /// a value that is too large removes the one it was to replace.
    final class Connection {
        enum Replacement {
            case stored, changedByOthers, missing
        }

        private let handle: UnsafeMutablePointer<memcached_st>
        private let server: MemcachedAddress

        /// Prepares a connection; the first call opens it.
        init(to server: MemcachedAddress, _ options: MemcachedOptions) throws(MemcachedError) {
            guard let handle = memcached_create(nil) else {
                throw MemcachedError(.unreachable, "no memory for a connection", server: server)
            }
            self.handle = handle
            self.server = server
            let wait = UInt64(options.answerTimeout / .milliseconds(1))
            for (behavior, value) in [
                (MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1),
                (MEMCACHED_BEHAVIOR_TCP_NODELAY, 1),
                // Networks drop connections that say nothing for minutes, and tell nobody.
                (MEMCACHED_BEHAVIOR_TCP_KEEPALIVE, 1),
                (MEMCACHED_BEHAVIOR_TCP_KEEPIDLE, 60),
                // All waits are then those of one limit; blocking sockets wait twice.
                (MEMCACHED_BEHAVIOR_NO_BLOCK, 1),
                (MEMCACHED_BEHAVIOR_POLL_TIMEOUT, wait),
                (MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, UInt64(options.connectTimeout / .milliseconds(1))),
            ] { memcached_behavior_set(handle, behavior, value) }
            let code =
                switch server {
                case .host(let host, let port): memcached_server_add(handle, host, in_port_t(clamping: port))
                case .unixSocket(let path): memcached_server_add_unix_socket(handle, path)
                }
            try check(code)
        }

        deinit {
            // Saying goodbye waits for the server, which may not answer any more.
            memcached_behavior_set(handle, MEMCACHED_BEHAVIOR_POLL_TIMEOUT, 0)
            memcached_free(handle)
        }

        /// A hash that spreads well and is the same everywhere.
        static func hash(_ text: String) -> UInt32 {
            var text = text
            return text.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) {
                    memcached_generate_hash_value($0.baseAddress, $0.count, MEMCACHED_HASH_MD5)
                }
            }
        }

        /// The values of keys, none of them twice. What is missing is not there: the server was asked for one such key
        /// in another way, because the library takes `ERROR`, `STORED` and the like for the end of an answer.
        func certainValues(of keys: [String]) throws(MemcachedError) -> [String: StoredValue] {
            for _ in 0..<Self.attempts {
                let found = try values(of: keys)
                guard let missing = keys.last(where: { found[$0] == nil }) else { return found }
                if try !exists(missing) { return found }
            }
            throw misunderstood
        }

        /// Somebody may add a user between two answers, but hardly twice.
        private static let attempts = 3

        /// Whether there is a value. It stays as it is: 0 is added, and a profile is no number anyway. Of the commands
        /// that say so much, this is the one whose answers the library hands on as they come.
        private func exists(_ key: String) throws(MemcachedError) -> Bool {
            var sum: UInt64 = 0
            switch memcached_increment(handle, key, key.utf8.count, 0, &sum) {
            case MEMCACHED_NOTFOUND: return false
            // What is stored is no number.
            case MEMCACHED_SUCCESS, MEMCACHED_CLIENT_ERROR: return true
            case let code:
                try check(code)
                return true
            }
        }

        /// The values of keys, none of them twice. What is missing may be there: see ``certainValues(of:)``. That is
        /// enough for who adds a value next, which fails then.
        func values(of keys: [String]) throws(MemcachedError) -> [String: StoredValue] {
            try check(requestValues(of: keys))
            let wanted = Set(keys)
            var found: [String: StoredValue] = [:]
            var code = MEMCACHED_SUCCESS
            while let result = memcached_fetch_result(handle, nil, &code) {
                let (keyLength, length) = (memcached_result_key_length(result), memcached_result_length(result))
                // The library believes any length that a server claims, and makes a number with a sign of it. Of an
                // answer such as `OK` it makes a value without a key.
                guard keyLength >= 0, length >= 0 else { throw misunderstood }
                let key = String(
                    decoding: UnsafeRawBufferPointer(start: memcached_result_key_value(result), count: keyLength),
                    as: UTF8.self)
                guard wanted.contains(key) else { throw misunderstood }
                let text = UnsafeRawBufferPointer(start: memcached_result_value(result), count: length)
                found[key] = StoredValue(text: [UInt8](text), version: memcached_result_cas(result))
            }
            // An answer that breaks off before the first value has the code of one without any.
            let last = memcached_last_error(handle)
            if code == MEMCACHED_END || code == MEMCACHED_NOTFOUND {
                if last != MEMCACHED_NOTFOUND { try check(last) }
            } else {
                try check(code == MEMCACHED_SUCCESS ? MEMCACHED_UNKNOWN_READ_FAILURE : code)
            }
            return found
        }

        private func requestValues(of keys: [String]) -> memcached_return_t {
            let texts = keys.map { Array($0.utf8CString) }
            let all = texts.flatMap { $0 }
            return all.withUnsafeBufferPointer { all in
                var starts: [UnsafePointer<CChar>?] = []
                var offset = 0
                for text in texts {
                    starts.append(all.baseAddress.map { $0 + offset })
                    offset += text.count
                }
                return memcached_mget(handle, starts, texts.map { $0.count - 1 }, keys.count)
            }
        }

        /// Stores a value where there is none. Whether there was none.
        func add(_ key: String, _ text: [UInt8], expiring: Int) throws(MemcachedError) -> Bool {
            let code = text.withUnsafeBytes {
                let text = $0.assumingMemoryBound(to: CChar.self)
                return memcached_add(handle, key, key.utf8.count, text.baseAddress, text.count, expiring, 0)
            }
            if code == MEMCACHED_NOTSTORED || code == MEMCACHED_DATA_EXISTS { return false }
            try check(code)
            return true
        }

        /// Stores a value in place of another that was read.
        func replace(
            _ key: String, _ old: StoredValue, with text: [UInt8], expiring: Int
        ) throws(MemcachedError) -> Replacement {
            let code = text.withUnsafeBytes {
                let text = $0.assumingMemoryBound(to: CChar.self)
                return memcached_cas(
                    handle, key, key.utf8.count, text.baseAddress, text.count, expiring, 0, old.version)
            }
            switch code {
            case MEMCACHED_DATA_EXISTS: return .changedByOthers
            case MEMCACHED_NOTFOUND: return .missing
            default: try check(code)
            }
            return .stored
        }

        /// Removes a value, if there is one.
        func remove(_ key: String) throws(MemcachedError) {
            let code = memcached_delete(handle, key, key.utf8.count, 0)
            if code != MEMCACHED_NOTFOUND { try check(code) }
        }

        /// An answer to another question than the one asked.
        private var misunderstood: MemcachedError {
            MemcachedError(.misunderstood, "the answer is not what memcached gives to this command", server: server)
        }

        private func check(_ code: memcached_return_t) throws(MemcachedError) {
            switch code {
            case MEMCACHED_SUCCESS: return
            case MEMCACHED_E2BIG:
                throw MemcachedError(.tooLarge, "the profile is larger than the server stores", server: server)
            case MEMCACHED_SERVER_MEMORY_ALLOCATION_FAILURE:
                throw MemcachedError(.full, "the server has no memory for the profile", server: server)
            case MEMCACHED_TIMEOUT, MEMCACHED_IN_PROGRESS:
                throw MemcachedError(.deadlineExceeded, "no complete answer in time", server: server)
            case MEMCACHED_CLIENT_ERROR, MEMCACHED_SERVER_ERROR, MEMCACHED_ERROR, MEMCACHED_BAD_KEY_PROVIDED,
                MEMCACHED_NOT_SUPPORTED, MEMCACHED_INVALID_ARGUMENTS, MEMCACHED_KEY_TOO_BIG:
                throw MemcachedError(.rejected, "the request was refused: \(words(code))", server: server)
            case MEMCACHED_STORED, MEMCACHED_NOTSTORED, MEMCACHED_DELETED, MEMCACHED_DATA_EXISTS, MEMCACHED_NOTFOUND,
                MEMCACHED_END, MEMCACHED_STAT, MEMCACHED_ITEM, MEMCACHED_VALUE:
                throw misunderstood
            default: throw MemcachedError(.unreachable, "not reached: \(words(code))", server: server)
            }
        }

        /// The library's words for a code. Its longer ones may hold a key.
        private func words(_ code: memcached_return_t) -> String {
            String(cString: memcached_strerror(handle, code)).lowercased()
        }
    }
#endif
