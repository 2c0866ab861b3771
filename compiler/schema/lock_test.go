package schema

import (
	"strings"
	"testing"
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
			{Rule: "injection-suspect", Severity: "warning", Count: 2, First: "documents/a.md:3"},
		}}},
		{Ref: "third", Pack: "p", Source: "dir", Tree: tree, Inspection: &LockedInspection{Findings: []LockedFinding{}}},
	}}
}

// A lock of version 1 is read, and knows of no inspection.
func TestALockOfTheFirstVersionIsRead(t *testing.T) {
	tree := "h1:" + strings.Repeat("A", 43) + "="
	l, err := DecodeLock([]byte(`{"schema_version":1,"references":[{"ref":"a","pack":"a","source":"dir","tree":"` + tree + `"}]}`))
	if err != nil || l.SchemaVersion != 1 || l.References[0].Inspection != nil {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := DecodeLock([]byte(`{"schema_version":5,"references":[]}`)); err == nil {
		t.Error("a later version is read")
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
	f.Add([]byte(`{"schema_version":1,"references":[]}`))
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
