// Package elsewhere opens packs that are not of the repository, by reference, and brings them
// into the cache and the lock.
//
// It is what [repo.Elsewhere] asks for, and what the commands pull, lock, verify and push do.
package elsewhere
