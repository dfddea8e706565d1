let clock = ManualClock()
