package remote

import (
	"encoding/json"

	"github.com/packgen/packgen/compiler/schema"
)

// MaxTrust caps what a pack from elsewhere may declare of its trust.
const MaxTrust = "external"

// Approved reports a pack that may be used without being allowed for the one run:
// its tree is in the lock of the repository.
func (a *Artifact) Approved() bool { return a.Locked }

// Views returns the statuses of views that its pack.json holds and that are not
// "passed", by path. They were worked out where the sources were available, which an
// archive leaves out. The digest of pack.json was verified when it was read.
func (a *Artifact) Views() map[string]schema.Status {
	var m struct {
		Views []schema.PublishedView `json:"views"`
	}
	if json.Unmarshal(a.Manifest, &m) != nil {
		return nil // a pack that is being worked on has none; others were decoded once
	}
	statuses := map[string]schema.Status{}
	for _, v := range m.Views {
		if v.Status != schema.Passed {
			statuses[v.Path] = v.Status
		}
	}
	return statuses
}
