// Package registry writes packs to registries as artifacts of OCI: a manifest with
// pack.json as its config and the archive as its one layer, and indexes of such
// manifests.
//
// The same pack makes the same manifest: it has no time and nothing of the machine.
package registry
