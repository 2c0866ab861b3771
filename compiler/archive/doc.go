// Package archive writes, reads and verifies published packs: the record pack.json, the
// tree hash that identifies a pack, and the archives that carry it. Writing is
// reproducible; reading treats every archive as hostile (tar, tar.gz, zip, and one
// inside another), counts real bytes, and lets a tree appear only when it is whole.
package archive
