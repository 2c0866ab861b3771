package gctuning

import "runtime/debug"

// holding leaves room for what packages allocate before main, about 4.4 MB: just
// enough for one collection that finds hardly anything, and costs two of the twelve
// milliseconds that the prompt hook may take where packgen-hook is not beside it. The collector first runs at four times
// its usual 4 MiB.
const holding = 400

// usual is what the collector was set to, by GOGC or by default. It is kept
// here, since nothing in main runs early enough.
var usual = debug.SetGCPercent(holding)

// Release gives the collector back its usual setting.
func Release() { debug.SetGCPercent(usual) }
