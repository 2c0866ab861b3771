package schema

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
)

func fullLock() *Lock {
	tree := "h1:" + strings.Repeat("A", 43) + "="
	return &Lock{SchemaVersion: LockVersion, References: []LockedRef{
		{
			Ref: "gha://o/r/packs", Pack: "p", Version: "1.0.0", Source: "github",
			Run:    &LockedRun{ID: 7, Job: 2, Branch: "main", Workflow: "pages.yml", Commit: "0a"},
			Digest: "sha256:" + digest, Format: "zip+tar.gz", Tree: tree, Manifest: digest,
		},
		{Ref: "../other", Pack: "p", Source: "dir", Tree: tree, Inspection: &LockedInspection{Findings: []LockedFinding{
			{Rule: "injection-suspect", Severity: diag.Warning, Count: 2, First: "documents/a.md:3"},
		}}},
		{Ref: "third", Pack: "p", Source: "dir", Tree: tree, Inspection: &LockedInspection{Findings: []LockedFinding{}}},
	}}
}

func TestALockOfAnotherVersionIsNotRead(t *testing.T) {
	for _, text := range []string{`{"schema_version":1,"references":[]}`, `{"schema_version":4,"references":[]}`, `{"references":[]}`} {
		if _, err := DecodeLock([]byte(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func TestLockHoldsAReferenceOnce(t *testing.T) {
	l := fullLock()
	l.References[1].Ref = l.References[0].Ref
	_, err := DecodeLock(encoded(t, l))
	if err == nil || !strings.Contains(err.Error(), "is listed twice") {
		t.Errorf("got %v", err)
	}
}

func FuzzDecodeLock(f *testing.F) {
	f.Add(encoded(f, fullLock()))
	f.Add([]byte(`{"schema_version":3,"references":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := DecodeLock(data)
		if err != nil {
			return
		}
		if _, err := DecodeLock(encoded(t, l)); err != nil {
			t.Errorf("what was written is refused: %v", err)
		}
	})
}
