package server

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// offered returns a tree that offers the archive of a pack.
func offered(t *testing.T) *siteTree {
	t.Helper()
	tree := newTree(t)
	next := tree.Begin()
	if next.Wants("packs/a/pack.tar.gz") || !next.Wants("packs/a/index.html") {
		t.Error("an archive is wanted before anybody asks, or a page is not")
	}
	if _, err := next.Put("404.html", []byte("<!doctype html>")); err != nil {
		t.Fatal(err)
	}
	if _, err := next.publish(); err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestARequestWaitsForWhatIsMadeWhenAskedFor(t *testing.T) {
	tree := offered(t)
	made := make(chan error, 1)
	go func() {
		<-tree.ask
		next := tree.Begin()
		if next.Wants("packs/a/pack.tar.gz") {
			_, _ = next.Put("packs/a/pack.tar.gz", []byte("packed"))
		}
		_, err := next.publish()
		made <- err
	}()
	h := &handler{tree: tree, events: &events{tree: tree}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/packs/a/pack.tar.gz", nil))
	oktest.Check(t, <-made)
	if w.Code != http.StatusOK || w.Body.String() != "packed" {
		t.Errorf("got %d %q, want the archive", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/packs/b/pack.tar.gz", nil)); w.Code != http.StatusNotFound {
		t.Errorf("an archive that no pack has gives %d", w.Code)
	}
}

func TestAfterAChangeAnArchiveIsMadeWhenAskedForAgain(t *testing.T) {
	tree := offered(t)
	if tree.Ask("packs/a/pack.tar.gz") == nil {
		t.Fatal("the archive cannot be asked for")
	}
	if !tree.Begin().Wants("packs/a/pack.tar.gz") {
		t.Error("the archive is not made though somebody has asked")
	}
	tree.forget()
	if tree.Begin().Wants("packs/a/pack.tar.gz") {
		t.Error("the archive is made after a change that nobody has asked after")
	}
}

func TestADraftShowsWhatItHas(t *testing.T) {
	tree := offered(t)
	next := tree.Begin()
	defer func() { oktest.Check(t, next.Abort()) }()
	if _, err := next.Put("a.html", []byte("new")); err != nil {
		t.Fatal(err)
	}
	changes := next.Show()
	if len(changes) != 1 || changes[0].Path != "a.html" {
		t.Errorf("changes %v, want a.html", changes)
	}
	if data, _, _, _ := tree.Read("a.html"); string(data) != "new" {
		t.Errorf("a.html is %q", data)
	}
	if _, ok := tree.Sum("404.html"); !ok {
		t.Error("a file that the draft does not have yet is gone")
	}
	if again := next.Show(); len(again) != 0 {
		t.Errorf("%v are shown twice", again)
	}
}

func TestADraftShowsNoPageBeforeItsStylesheet(t *testing.T) {
	tree := offered(t)
	next := tree.Begin()
	if _, err := next.Put("a.html", []byte(`<link rel="stylesheet" href="assets/site-NEW.css">new`)); err != nil {
		t.Fatal(err)
	}
	if shown := next.Show(); len(shown) != 0 {
		t.Errorf("%v are shown without their stylesheet", shown)
	}
	if _, err := next.Put("assets/site-NEW.css", []byte("p {}")); err != nil {
		t.Fatal(err)
	}
	changes := oktest.Value(next.publish())(t)
	if !slices.ContainsFunc(changes, func(c FileChange) bool { return c.Path == "a.html" }) {
		t.Errorf("changes %v lack a.html", changes)
	}
}

func TestAPartOfTheSearchIsAskedForWithItsRoot(t *testing.T) {
	tree := newTree(t)
	next := tree.Begin()
	if next.Wants("search/index.json") {
		t.Error("the search is made before anybody asks")
	}
	if _, err := next.publish(); err != nil {
		t.Fatal(err)
	}
	if tree.Ask("search/0123.bin") == nil {
		t.Fatal("a part of the search cannot be asked for")
	}
	if !tree.Begin().Wants("search/index.json") {
		t.Error("the search is not made though somebody has asked for a part")
	}
}
