// Package startup keeps the garbage collector from running before main. The
// packages that this program links allocate about 3.6 MB while they set themselves
// up, which is just enough for one collection that finds hardly anything: it costs
// two of the twelve milliseconds that the prompt hook may take.
package startup

import "runtime/debug"

// percent leaves room for what packages allocate before main: the collector first
// runs at four times its usual 4 MiB.
const percent = 400

// usual is what the collector was set to, by GOGC or by default. It is set aside
// here, for nothing that main does comes early enough.
var usual = debug.SetGCPercent(percent)

// Done gives the collector back its usual setting.
func Done() { debug.SetGCPercent(usual) }
