// Package regularfile opens regular files and directories where a stranger may have put
// anything, without ever waiting.
//
// Opening a pipe waits for its other end, and reading a device may never end: here what
// is not a regular file is an error at once, also when it
// takes the place of one at the last moment. Directories are opened in the same way.
//
// Writing goes through here too: below a repository no link is followed. Reading follows
// those that stay in the repository.
package regularfile
