// Package disktest starts programs on a file layer that fails, or that forgets what was
// never synced, for tests.
//
// The layer lies below the whole program, at the calls of the operating system: a filter
// hands each change of a file to the test, which lets it happen, has it fail, or takes
// half of it. No program is built for it, and no write can go around it. It needs Linux;
// [Supported] says whether it works.
package disktest
