// Package sigstore answers the requests of package signature with sigstore-go: it
// verifies bundles and makes them.
//
// Only packgen-sign may import it: what it brings is large and slow to start.
package sigstore
