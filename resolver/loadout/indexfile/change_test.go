package indexfile

import "runtime"

// lastChangeIsKnown says whether a file that was set back in time is noticed.
const lastChangeIsKnown = runtime.GOOS == "linux"
