// Package artifact opens packs from elsewhere: references, the lock file
// packgen.lock, and a cache whose trees are verified whenever they are read.
package artifact
