package remote

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

func TestADirectoryWithoutAPackSaysSo(t *testing.T) {
	o := options(t)
	write(t, filepath.Join(o.Dir, "empty/readme.md"), []byte("x"))
	write(t, filepath.Join(o.Dir, "broken/pack.json"), []byte(`{"schema_version":1`))
	write(t, filepath.Join(o.Dir, "foreign/pack.json"), []byte(`{"format":3}`))
	write(t, filepath.Join(o.Dir, "file"), []byte("x"))
	for text, want := range map[string]string{
		"empty": "it holds no pack", "broken": "[archive-manifest]", "foreign": "[archive-manifest]", "file": "not a directory", "absent": "no such file",
		"absent.zip": "no such file", "empty.tar.gz#x": "no such file",
	} {
		_, err := Open(context.Background(), mustRef(t, text), o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), o.Dir) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnArchiveThatIsNoneIsRefusedByItsReference(t *testing.T) {
	o := options(t)
	write(t, filepath.Join(o.Dir, "x.zip"), []byte("no archive"))
	_, err := Open(context.Background(), mustRef(t, "x.zip"), o)
	var refusal *archive.Refusal
	if !errors.As(err, &refusal) || refusal.Rule != archive.RuleUnknown || refusal.Archive != "x.zip" {
		t.Errorf("%v", err)
	}
	o.Limits.ArchiveBytes = 5
	if _, err := Open(context.Background(), mustRef(t, "x.zip"), o); !errors.As(err, &refusal) || refusal.Rule != archive.RuleTooLarge {
		t.Errorf("%v", err)
	}
	if list := listTree(t, filepath.Join(o.Cache.Dir(), treesDir)); len(list) != 0 {
		t.Errorf("the cache holds %v", list)
	}
}

// A record of the cache that somebody wrote cannot lead to another pack than the
// lock holds.
func TestARecordCannotReplaceWhatIsLocked(t *testing.T) {
	o := options(t)
	good, evil := publish(t, "kettle", "It boils."), publish(t, "kettle", "It lies.")
	write(t, filepath.Join(o.Dir, "good.tar.gz"), good.targz)
	write(t, filepath.Join(o.Dir, "evil.tar.gz"), evil.targz)
	entry, other := mustOpen(t, "good.tar.gz", o).Entry, mustOpen(t, "evil.tar.gz", o).Entry
	oktest.Check(t, o.Cache.remember(digestKey(entry.Digest, ""), &other))
	o.Locked = &entry
	if a := mustOpen(t, "good.tar.gz", o); a.Entry.Tree != good.tree || textOf(t, a) != "# It\n\nIt boils.\n" {
		t.Errorf("%+v", a.Entry)
	}
}

func TestViewsThatArePassedAreNotKept(t *testing.T) {
	var m schema.PackManifest
	s := publish(t, "kettle", "It boils.")
	oktest.Check(t, json.Unmarshal(s.manifest, &m))
	m.Views = []schema.PublishedView{{Path: "compiled/facts.md", Status: "stale"}, {Path: "compiled/briefing.md", Status: "passed"}}
	data := oktest.Value(schema.Encode(&m))(t)
	a := &Artifact{Manifest: data}
	if got := a.Views(); len(got) != 1 || got["compiled/facts.md"] != "stale" {
		t.Errorf("%v", got)
	}
	if got := (&Artifact{}).Views(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
