let (olga, tim) = (FlagClient().user("olga"), FlagClient().user("tim"))
let client = FlagClient()
