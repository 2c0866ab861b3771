// Package library opens packs for reading: those of the repository, and those from
// elsewhere that a reference names. It also brings the latter into the cache and
// locks them, and opens published sites and archives to be verified.
package library
