package server

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/publish"
)

// newTree returns a tree that is closed when the test ends.
func newTree(t *testing.T) *siteTree {
	t.Helper()
	tree := oktest.Value(makeTree(t.TempDir()))(t)
	t.Cleanup(func() {
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	})
	return tree
}

// fill commits files as the whole content of a tree.
func fill(t *testing.T, tree *siteTree, files map[string]string) []FileChange {
	t.Helper()
	d := tree.Begin()
	for path, text := range files {
		if _, err := d.Put(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return oktest.Value(d.publish())(t)
}

func TestDraftReplacesTheWholeTree(t *testing.T) {
	tree := newTree(t)
	fill(t, tree, map[string]string{"a.html": "one", "b.html": "two", "c.html": "three"})
	d := tree.Begin()
	for _, step := range []struct {
		path, text string
		want       publish.Change
	}{
		{"a.html", "one", publish.Unchanged},
		{"b.html", "2", publish.Updated},
		{"d.html", "four", publish.Created},
	} {
		if got, err := d.Put(step.path, []byte(step.text)); err != nil || got != step.want {
			t.Errorf("Put(%s) = %s, %v; want %s", step.path, got, err, step.want)
		}
	}
	if data, _, _, _ := tree.Read("b.html"); string(data) != "two" {
		t.Errorf("before Commit b.html is %q, want two", data)
	}
	changes := oktest.Value(d.publish())(t)
	want := "[{b.html updated} {c.html deleted} {d.html created}]"
	var got []publish.PathChange
	for _, c := range changes {
		got = append(got, c.PathChange)
	}
	if fmt.Sprint(got) != want {
		t.Errorf("changes are %v, want %s", got, want)
	}
	if _, _, ok, _ := tree.Read("c.html"); ok || tree.Len() != 3 {
		t.Errorf("c.html is there: %v; %d files, want 3", ok, tree.Len())
	}
}

func TestDraftKeepsFilesAndRefusesDuplicates(t *testing.T) {
	tree := newTree(t)
	fill(t, tree, map[string]string{"a": "one"})
	d := tree.Begin()
	kept := publish.Kept{Path: "a", Sum: sha256.Sum256([]byte("one"))}
	for what, files := range map[string][]publish.Kept{
		"a file that the tree does not have": {kept, {Path: "b"}},
		"another content":                    {{Path: "a", Sum: sha256.Sum256([]byte("two"))}},
	} {
		if d.Keep(files...) {
			t.Errorf("%s is kept", what)
		}
	}
	if !d.Keep(kept) {
		t.Error("a file that the tree has is not kept")
	}
	if got, ok := d.Sum("a"); !ok || got != kept {
		t.Errorf("Sum(a) = %v, %v", got, ok)
	}
	if _, err := d.Put("a", nil); !errors.Is(err, publish.ErrDuplicate) {
		t.Errorf("a second a: %v, want ErrDuplicate", err)
	}
	if changes, err := d.publish(); err != nil || len(changes) != 0 {
		t.Errorf("changes %v, %v", changes, err)
	}
}

func TestAbortedDraftChangesNothing(t *testing.T) {
	tree := newTree(t)
	fill(t, tree, map[string]string{"a": "one"})
	d := tree.Begin()
	if _, err := d.Put("a", []byte("two")); err != nil {
		t.Fatal(err)
	}
	oktest.Check(t, d.Abort())
	if data, _, _, _ := tree.Read("a"); string(data) != "one" {
		t.Errorf("a is %q, want one", data)
	}
	if _, err := d.publish(); err == nil {
		t.Error("Commit after Abort succeeds")
	}
}

func TestPageThatChangedInItsStylesheetsAlone(t *testing.T) {
	tree := newTree(t)
	page := func(style, text string) string {
		return "<link rel=stylesheet href=../assets/site-" + style + ".css><p>" + text
	}
	fill(t, tree, map[string]string{"a.html": page("AAAA1111", "x"), "b.html": page("AAAA1111", "x")})
	changes := fill(t, tree, map[string]string{"a.html": page("BBBB2222", "x"), "b.html": page("BBBB2222", "y")})
	if len(changes) != 2 || !changes[0].Style || changes[1].Style {
		t.Errorf("changes are %+v; want a.html by style alone, b.html not", changes)
	}
}

// A tree that is replaced many times does not grow without bound, and its files
// stay right.
func TestTreeCompacts(t *testing.T) {
	tree := newTree(t)
	random := rand.New(rand.NewPCG(1, 2))
	block := make([]byte, 4<<20)
	for i := range block {
		block[i] = byte(random.Uint32())
	}
	for round := range 40 {
		block[0] = byte(round)
		d := tree.Begin()
		if _, err := d.Put("changes", block); err != nil {
			t.Fatal(err)
		}
		if _, err := d.PutFrom(publish.File{Path: "stays", Content: publish.Bytes([]byte("same"))}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.publish(); err != nil {
			t.Fatal(err)
		}
	}
	if tree.end > compactAbove+int64(len(block)) {
		t.Errorf("40 rounds of 4 MiB leave %d bytes in use", tree.end)
	}
	if data, _, _, err := tree.Read("changes"); err != nil || !bytes.Equal(data, block) {
		t.Errorf("the changing file is damaged: %v", err)
	}
	if data, _, _, _ := tree.Read("stays"); string(data) != "same" {
		t.Errorf("the other file is %q", data)
	}
}
