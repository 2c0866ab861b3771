package signature

import (
	"encoding/json"
	"fmt"

	"github.com/packgen/packgen/compiler/archive"
)

// What a signature of a pack is about.
const (
	statementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/packgen/packgen/attestation/pack/v1"
	PayloadType   = "application/vnd.in-toto+json"

	// BundleType is the media type of a Sigstore bundle in a registry.
	BundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	// Ending is what follows the name of an archive in the name of its bundle.
	Ending = archive.SignatureEnding
	// MaxBundle is the largest bundle that is read, in bytes.
	MaxBundle = 1 << 20
	// MaxBundles is how many bundles of one pack are looked at.
	MaxBundles = 20
)

// Pack is a pack that is signed.
type Pack struct {
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"` // as the pack declares it
	Tree     string `json:"tree"`
	Manifest string `json:"-"` // digest of its pack.json: 64 hex digits
	Archive  string `json:"-"` // digest of its archive, in the same form
}

// Statement returns the bytes that are signed of a pack.
func Statement(p Pack) ([]byte, error) {
	type subject struct {
		Name   string            `json:"name"`
		Digest map[string]string `json:"digest"`
	}
	data, err := json.Marshal(struct {
		Type          string    `json:"_type"`
		Subject       []subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     Pack      `json:"predicate"`
	}{statementType, []subject{
		{p.Name + "/pack.json", map[string]string{"sha256": p.Manifest}},
		{p.Name + ".tar.gz", map[string]string{"sha256": p.Archive}},
	}, PredicateType, p})
	if err != nil {
		return nil, fmt.Errorf("describe %s for its signature: %w", p.Name, err)
	}
	return data, nil
}
