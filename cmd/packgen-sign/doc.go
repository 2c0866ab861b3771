// Command packgen-sign signs packs and verifies their signatures for packgen, which runs
// it and speaks to it in JSON.
//
// It is a program of its own because what knows Sigstore is large and slow to start, and
// most commands of packgen need none of it.
package main
