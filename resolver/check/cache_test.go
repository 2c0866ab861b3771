package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/repo"
)

// checked is what a check of a repository comes to, and how many of its packs were read
// for it.
func checked(t *testing.T, dir string) (Outcome, int) {
	t.Helper()
	w := &repo.Repo{Environment: func(string) string { return "" }}
	w.Find(dir)
	oktest.Check(t, w.Load())
	c := oktest.Value(Run(context.Background(), w, RepositoryOptions{Now: time.Unix(1700000000, 0)}))(t)
	defer c.Close()
	read := 0
	for _, r := range c.Checked {
		if !r.Compiled.Reused {
			read++
		}
	}
	return OutcomeOf(c), read
}

func checkedPacks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 3 {
		name := fmt.Sprintf("pack-%d", i)
		oktest.Check(t, packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: 5, Seed: uint64(i + 1)}))
	}
	return dir
}

func putIn(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
	oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
}

func TestASecondCheckReadsOnlyPacksThatChanged(t *testing.T) {
	dir := checkedPacks(t)
	putIn(t, dir, "packs/pack-0/wiki/page.md", "# Page\n\nSee [nothing](nothing.md).\n\n- Water boils. <!-- packgen:allow claim-unsourced: everybody knows -->\n")
	first, read := checked(t, dir)
	if read != 3 || len(first.Findings) == 0 {
		t.Fatalf("the first check reads %d packs and finds %d faults", read, len(first.Findings))
	}
	second, read := checked(t, dir)
	if diff := cmp.Diff(first, second); read != 0 || diff != "" {
		t.Errorf("a second check reads %d packs; what it finds differs:\n%s", read, diff)
	}
	putIn(t, dir, "packs/pack-1/wiki/page.md", "# Page\n\nSee [nothing](nothing.md).\n")
	third, read := checked(t, dir)
	if read != 1 || cmp.Equal(first, third) {
		t.Errorf("after a change to one pack %d are read; want 1, and other findings", read)
	}
	putIn(t, dir, "packgen.yaml", "rules:\n  - {rule: ref-broken, severity: error, reason: no link may be broken}\n")
	fourth, read := checked(t, dir)
	if read != 3 || cmp.Equal(third, fourth) {
		t.Errorf("with other rules %d packs are read; want 3, and other findings", read)
	}
}

// The law of check: what it finds after changes is what a new one finds.
func TestACheckThatRemembersFindsWhatANewOneFinds(t *testing.T) {
	dir := checkedPacks(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for step := range 12 {
		pack := fmt.Sprintf("packs/pack-%d", rng.IntN(3))
		switch rng.IntN(6) {
		case 0:
			putIn(t, dir, pack+"/wiki/new.md", fmt.Sprintf("# New %d\r\n\nSee [[Lost %d]].\n", step, step))
		case 1:
			putIn(t, dir, pack+"/sources/measurements.md", fmt.Sprintf("Line %d\n", step))
		case 2:
			putIn(t, dir, pack+"/runs/compile-2026-01-01T00-00-00Z.json", fmt.Sprintf("{\"step\": %d}", step))
		case 3:
			putIn(t, dir, pack+"/evals/routing.json", fmt.Sprintf("[%d]", step))
		case 4:
			putIn(t, dir, "packgen.yaml", fmt.Sprintf("rules:\n  - {rule: ref-broken, severity: %q, reason: step}\n", []string{"off", "info", "error"}[step%3]))
		default:
			oktest.Check(t, os.RemoveAll(filepath.Join(dir, repo.StateName, "packs")))
		}
		got, _ := checked(t, dir)
		oktest.Check(t, os.Rename(filepath.Join(dir, repo.StateName), filepath.Join(dir, ".state")))
		want, read := checked(t, dir)
		if diff := cmp.Diff(want, got); diff != "" || read != 3 {
			t.Fatalf("step %d: a new check reads %d packs; what the one before found differs:\n%s", step, read, diff)
		}
		oktest.Check(t, os.RemoveAll(filepath.Join(dir, repo.StateName)))
		oktest.Check(t, os.Rename(filepath.Join(dir, ".state"), filepath.Join(dir, repo.StateName)))
	}
}

func TestNothingIsRememberedOfAPackThatChangesDuringItsCheck(t *testing.T) {
	for _, changes := range []bool{false, true} {
		dir := filepath.Join(checkedPacks(t), "packs", "pack-2")
		p := open(t, dir)
		known := &store.Memory{}
		n := openCache(known, filepath.Join(t.TempDir(), "state"), p, options{})
		if changes {
			putIn(t, dir, "wiki/page.md", "# Page\n\nSee [nothing](nothing.md).\n")
		}
		n.keep(&Result{Compiled: &compiler.Result{State: store.Key("state")}}, open(t, dir))
		if _, kept := known.Action(n.key); kept == changes {
			t.Errorf("a pack changes during its check: %t; its result is kept: %t", changes, kept)
		}
	}
}
