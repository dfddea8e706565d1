#if Server
    import LibC
    import TurnoutClient

    /// Waits for changes of files, and of those in folders.
    final class FolderChanges {
        private let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        private let log: any Log
        private var hasFailed = false

        init(_ log: any Log) {
            self.log = log
            if descriptor < 0 { noteFailure() }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Blocks until a file or a folder changes, or might have: at most a second, because the system does not tell
        /// of changes that other machines make, or behind links.
        ///
        /// - Returns: Whether something has changed.
        func wait(for paths: [String]) -> Bool {
            let events = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
            // What is watched already stays so. Another file may have taken the place of one.
            for path in paths where inotify_add_watch(descriptor, path, UInt32(events)) < 0 && errno != ENOENT {
                noteFailure()
            }
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, 1_000) > 0 else { return false }
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            return true
        }

        private func noteFailure() {
            guard !hasFailed else { return }
            hasFailed = true
            let reason = String(cString: strerror(errno))
            log(.warning, "the system does not tell of changed files (\(reason)): they are read within a second")
        }
    }
#endif
