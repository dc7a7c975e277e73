print("apphome")
