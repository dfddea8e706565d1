#if os(watchOS)
    public import Foundation

    /// Notifies clients that the app entered the background or the foreground, for which watchOS posts no notification.
    ///
    /// Call its functions from the app's delegate.
    public final class WatchBackgroundNotifier: NSObject {
        /// Posted when the app enters the background.
        public static let watchAppDidEnterBackgroundNotification = NSNotification.Name(
            "com.optimizely.watchAppDidEnterBackgroundNotification")
        /// Posted when the app enters the foreground.
        public static let watchAppWillEnterForegroundNotification = NSNotification.Name(
            "com.optimizely.watchAppWillEnterForegroundNotification")

        /// Notifies clients that the app entered the foreground.
        public static func applicationDidBecomeActive() {
            NotificationCenter.default.post(name: watchAppWillEnterForegroundNotification, object: nil)
        }

        /// Notifies clients that the app entered the background.
        public static func applicationDidEnterBackground() {
            NotificationCenter.default.post(name: watchAppDidEnterBackgroundNotification, object: nil)
        }
    }
#endif
