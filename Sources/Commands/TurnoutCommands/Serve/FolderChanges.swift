#if Server
    import LibC

    /// Waits for changes of files in folders.
    final class FolderChanges: Sendable {
        private let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Blocks until something changes in one of the folders, or might have: at most a second, because the system
        /// does not tell of changes that other machines make, or behind links.
        ///
        /// - Returns: Whether something has changed.
        func wait(in folders: [String]) -> Bool {
            let events = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
            // A folder that is watched already stays so.
            for folder in folders { inotify_add_watch(descriptor, folder, UInt32(events)) }
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Without a descriptor for this, looking often is the only way.
            guard poll(&waited, 1, descriptor < 0 ? 50 : 1_000) > 0 else { return false }
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            return true
        }
    }
#endif
