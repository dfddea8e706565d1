#if os(watchOS)
    public import Foundation

    /// Tells clients that the app went to the background or came back, which watchOS does not.
    ///
    /// Call its functions from the app's delegate.
    public final class WatchBackgroundNotifier: NSObject {
        /// Posted when the app went to the background.
        public static let watchAppDidEnterBackgroundNotification = NSNotification.Name(
            "com.optimizely.watchAppDidEnterBackgroundNotification")
        /// Posted when the app came back.
        public static let watchAppWillEnterForegroundNotification = NSNotification.Name(
            "com.optimizely.watchAppWillEnterForegroundNotification")

        /// The app came back.
        public static func applicationDidBecomeActive() {
            NotificationCenter.default.post(name: watchAppWillEnterForegroundNotification, object: nil)
        }

        /// The app went to the background.
        public static func applicationDidEnterBackground() {
            NotificationCenter.default.post(name: watchAppDidEnterBackgroundNotification, object: nil)
        }
    }
#endif
