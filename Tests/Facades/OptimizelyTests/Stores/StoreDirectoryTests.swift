#if os(Linux)
    /// The default directories, which are found without Foundation's own search because that slows down the start.
    @Suite struct StoreDirectoryTests {
        private let home = TemporaryDirectory()

        /// Environment variables, and whether the user has chosen directories.
        private static let environments: [[String: String]] = [
            [:], ["XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/configuration"], ["XDG_DATA_HOME": "relative"],
            ["XDG_DATA_HOME": ""], ["CFFIXED_USER_HOME": "/fixed"], ["user-dirs": "XDG_DOCUMENTS_DIR=\"$HOME/Papers\""],
        ]

        @Test(arguments: environments.indices) func directoriesAreThoseOfFoundation(_ number: Int) async {
            await #expect(processExitsWith: .success) { [home = home.path as String, number = number as Int] in
                for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] { unsetenv(name) }
                setenv("HOME", home, 1)
                for (name, value) in Self.environments[number] { setenv(name, value, 1) }
                if let chosen = Self.environments[number]["user-dirs"] {
                    let configuration = home + "/.config"
                    try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
                    try chosen.write(toFile: configuration + "/user-dirs.dirs", atomically: true, encoding: .utf8)
                }
                func expected(_ place: FileManager.SearchPathDirectory) -> String? {
                    FileManager.default.urls(for: place, in: .userDomainMask).first?.path
                }
                #expect(StoreDirectory.ofVendor.path == expected(.documentDirectory))
                let data = StoreDirectory.ofThisProgram.deletingLastPathComponent().deletingLastPathComponent().path
                #expect(data == expected(.applicationSupportDirectory))
            }
        }
    }
#endif
