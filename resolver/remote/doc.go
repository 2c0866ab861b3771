// Package remote opens packs from elsewhere: references, the lock file
// packgen.lock, and a cache whose trees are verified whenever they are read.
//
// [ParseRef] reads what a user writes, [Open] leads from there to a file system.
// What a reference means is asked of its place (package fetch), the archive that
// comes is unpacked in a workspace (package archive), compared with the lock, and
// moved into the cache under its tree hash. From then on the pack is read from
// there: the list of its files is checked against the tree hash, each file against
// its digest. A pack in a directory is read where it is. It
// is one package because what is fetched, kept, locked and asked for a signature is one
// entry of the lock.
package remote
