let bundledDatafile = Data()
