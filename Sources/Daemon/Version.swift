/// What this build calls itself: in `--version`, `User-Agent`, `push.worker` and `push.migration`.
public let version = "0.1.0"
