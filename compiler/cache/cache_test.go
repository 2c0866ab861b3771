package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// sample is a cache with something in every field.
func sample() *Files {
	found := []diag.Diagnostic{{ID: "raw-copy", Severity: diag.Warning, Pack: "p", Path: "wiki/a.md", Line: 3, Column: 4, Message: "M.", Hint: "h"}}
	return &Files{
		Settled: true, Edited: true, Context: "context", Newest: "n", Skipped: found, Status: "passed", Suggested: "ready",
		Counts: [4]int{1, 2, 3, 4}, Findings: found, Joined: 7, Shards: []uint32{0, 1 << 31},
		Entries: []Entry{
			{Path: "KNOWLEDGE.md", Size: 12, Stamp: pack.Stamp{ModTime: -5, ChangeTime: 1 << 60, Inode: 1 << 63}, Quiet: true, Sum: Sum{2}, Lines: 9, Findings: found},
			{Path: "compiled/splits/wiki/a.md", Output: true, Made: true},
		},
	}
}

func TestFilesAreReadAsWritten(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "state"))
	if d.ReadFiles("key") != nil {
		t.Error("something was read where nothing is")
	}
	if err := d.Write("key", sample()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), d.ReadFiles("key")); diff != "" {
		t.Error(diff)
	}
	if d.ReadFiles("other") != nil {
		t.Error("a cache with another key was read")
	}
	if err := d.Forget(); err != nil || d.ReadFiles("key") != nil {
		t.Error("forgotten, and still there:", err)
	}
	if err := d.Forget(); err != nil {
		t.Error(err)
	}
}

func TestTreesAreReadAsWritten(t *testing.T) {
	d := Dir(t.TempDir())
	want := &Tree{Text: "text", Entries: sample().Entries}
	if err := d.WriteTree("build.cache", "key", want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, d.ReadTree("build.cache", "key")); diff != "" {
		t.Error(diff)
	}
	if d.ReadTree("build.cache", "other") != nil || d.ReadTree("none", "key") != nil {
		t.Error("a listing was read that is another's")
	}
}

func TestDamagedFilesAreNotRead(t *testing.T) {
	d := Dir(t.TempDir())
	if err := d.Write("key", sample()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(string(d), filesName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		broken := slices.Clone(whole)
		broken[i] ^= 0x20
		for _, data := range [][]byte{broken, whole[:i]} {
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
			if d.ReadFiles("key") != nil {
				t.Errorf("read although byte %d was changed or cut", i)
			}
		}
	}
}

func units(n int) []Unit {
	list := make([]Unit, n)
	for i := range list {
		list[i] = Unit{Path: fmt.Sprintf("wiki/%04d.md", i), Sum: Sum{byte(i), 1}, Blob: fmt.Sprint("blob ", i)}
	}
	return list
}

func TestShardsHoldTheUnits(t *testing.T) {
	d := Dir(t.TempDir())
	for _, n := range []int{0, 1, perShard, 40 * perShard} {
		list := units(n)
		sums, err := d.WriteUnits("key", slices.Clone(list), nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		u := d.OpenUnits("key", sums)
		for _, want := range list {
			if got, ok := u.Get(want.Path); !ok || !got.equal(want) {
				t.Errorf("of %d: %s is %v %v", n, want.Path, got, ok)
			}
		}
		if _, ok := u.Get("wiki/none.md"); ok {
			t.Error("found a unit that is not there")
		}
		if _, ok := d.OpenUnits("other", sums).Get("wiki/0000.md"); ok {
			t.Error("found a unit under another key")
		}
	}
}

// TestOneUnitRewritesOneShard checks it by removing all other shards.
func TestOneUnitRewritesOneShard(t *testing.T) {
	d, list := Dir(t.TempDir()), units(10*perShard)
	sums, err := d.WriteUnits("key", list, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	changed := Unit{Path: "wiki/0007.md", Sum: Sum{9}, Blob: "new"}
	after, err := d.OpenUnits("key", sums).Replace([]Unit{changed})
	if err != nil {
		t.Fatal(err)
	}
	differing := 0
	for i := range sums {
		if sums[i] != after[i] {
			differing++
		}
	}
	if got, _ := d.OpenUnits("key", after).Get(changed.Path); differing != 1 || !got.equal(changed) {
		t.Errorf("%d shards differ, the unit is %v", differing, got)
	}
	if _, ok := d.OpenUnits("key", sums).Get(changed.Path); ok {
		t.Error("a shard was believed that is not the one its checksum tells of")
	}
	i := slices.IndexFunc(list, func(u Unit) bool { return u.Path == changed.Path })
	list[i] = changed
	again, err := d.WriteUnits("key", list, d.OpenUnits("key", after), 1)
	if err != nil || !slices.Equal(again, after) {
		t.Errorf("the same units have other checksums: %v", err)
	}
	if _, err := d.OpenUnits("key", after).Replace([]Unit{{Path: "wiki/none.md"}}); err == nil {
		t.Error("a unit was replaced that is not there")
	}
}

func TestFewerUnitsLeaveNoShardsBehind(t *testing.T) {
	d := Dir(t.TempDir())
	old, err := d.WriteUnits("key", units(40*perShard), nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := d.WriteUnits("key", units(2), d.OpenUnits("key", old), 1)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(string(d), "units-*"))
	if err != nil || len(names) != len(sums) {
		t.Errorf("%d shards, and the files %v", len(sums), names)
	}
}

func TestJoinedIsReadAsWritten(t *testing.T) {
	d := Dir(t.TempDir())
	want := &Joined{Run: "runs/r.json", Disputed: true, Copied: true, Parts: []Part{
		{Path: "wiki/a.md", Status: "stale", Walked: true, Claims: 1, Sections: 2, Splits: 3, Chapters: 4, Facts: 5, Item: 6},
		{Path: "wiki/b.md", Target: true},
	}, Claims: NewClaims(map[ClaimID]int{{1}: 1, {2, 1}: 70000})}
	sum, err := d.WriteJoined("key", want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, d.ReadJoined("key", sum), cmp.AllowUnexported(Claims{})); diff != "" {
		t.Error(diff)
	}
	if d.ReadJoined("key", sum+1) != nil || d.ReadJoined("other", sum) != nil {
		t.Error("a file was believed that is another's")
	}
}

func TestClaimsCountIDs(t *testing.T) {
	given := map[ClaimID]int{}
	for i := range 50 {
		given[ClaimID{byte(i * 5), 3}] = i + 1
	}
	c := NewClaims(given)
	change := map[ClaimID]int{{0, 3}: 0, {5, 3}: 9, {5, 4}: 2, {255, 255}: 1, {7}: 0}
	c = c.With(change)
	for id, n := range change {
		given[id] = n
	}
	for id, n := range given {
		if got := c.Count(id); got != n {
			t.Errorf("%x: %d, want %d", id, got, n)
		}
	}
	for id, n := range given {
		if n == 0 {
			delete(given, id)
		}
	}
	if c != NewClaims(given) {
		t.Error("changed claims are not those that are made afresh")
	}
}

func TestQuietTellsWhenTimesCanBeBelieved(t *testing.T) {
	const now = int64(1_700_000_000_123_456_789)
	at := func(ago time.Duration) int64 { return now - int64(ago) }
	tests := []struct {
		name string
		s    pack.Stamp
		fine bool
		want bool
	}{
		{"an old file", pack.Stamp{ModTime: at(time.Hour), ChangeTime: at(time.Hour)}, false, true},
		{"a second, coarse times", pack.Stamp{ModTime: at(time.Second), ChangeTime: at(time.Second)}, false, false},
		{"a second, fine times", pack.Stamp{ModTime: at(time.Second), ChangeTime: at(time.Second)}, true, true},
		{"a second, without small digits", pack.Stamp{ModTime: at(time.Second), ChangeTime: 1_700_000_000_000_000_000 - 1e9}, true, false},
		{"one tick of the clock", pack.Stamp{ModTime: at(10 * time.Millisecond), ChangeTime: at(10 * time.Millisecond)}, true, false},
		{"changed after its owner set the time back", pack.Stamp{ModTime: at(time.Hour), ChangeTime: at(time.Millisecond)}, true, false},
		{"a file system that keeps no time of change", pack.Stamp{ModTime: at(time.Hour)}, false, false},
		{"from the future", pack.Stamp{ModTime: at(-time.Hour), ChangeTime: at(-time.Hour)}, true, false},
	}
	for _, tt := range tests {
		if got := Quiet(tt.s, now, tt.fine); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// FuzzFiles reads any text as the body of files.cache and of a shard: what is
// accepted can be written and read again.
func FuzzFiles(f *testing.F) {
	w := NewWriter(0)
	sample().encode(w)
	f.Add(w.Text())
	f.Add(NewReader(string(encodeUnits("", units(3)).b[1:])).s)
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader(text)
		if x := decodeFiles(r); r.Done() {
			w := NewWriter(0)
			x.encode(w)
			if diff := cmp.Diff(x, decodeFiles(NewReader(w.Text()))); diff != "" {
				t.Error(diff)
			}
		}
		r = NewReader(text)
		if x := decodeTree(r); r.Done() {
			w := NewWriter(0)
			x.encode(w)
			if diff := cmp.Diff(x, decodeTree(NewReader(w.Text()))); diff != "" {
				t.Error(diff)
			}
		}
		r = NewReader(text)
		if x := decodeJoined(r); r.Done() {
			x.Claims.Count(ClaimID{1})
			w := NewWriter(0)
			x.encode(w)
			if diff := cmp.Diff(x, decodeJoined(NewReader(w.Text())), cmp.AllowUnexported(Claims{})); diff != "" {
				t.Error(diff)
			}
		}
		r = NewReader(text)
		if list := decodeUnits(r); list != nil {
			r := NewReader(string(encodeUnits("", list).b[1:]))
			if again := decodeUnits(r); !slices.EqualFunc(list, again, Unit.equal) {
				t.Error("units are not read as written")
			}
		}
	})
}

func TestForgetSweepsWhatKilledProcessesLeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"files.cache", "files.cache.123", "joined.cache", "joined.cache.4", "units-00.cache", "units-00.cache.56", "lock"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Dir(dir).Forget(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"joined.cache", "lock", "units-00.cache"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}
