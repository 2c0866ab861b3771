package server

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/publish"
)

var errStopped = errors.New("stopped")

// stopped is a target of which an operation fails, and all after it, as if the build had
// ended there.
type stopped struct {
	publish.Target
	at, count int
}

func (s *stopped) step() error {
	if s.count++; s.count >= s.at {
		return errStopped
	}
	return nil
}

func (s *stopped) Put(path string, data []byte) (publish.Change, error) {
	if err := s.step(); err != nil {
		return "", err
	}
	return s.Target.Put(path, data)
}

func (s *stopped) PutFrom(f publish.File) (publish.Change, error) {
	if err := s.step(); err != nil {
		return "", err
	}
	return s.Target.PutFrom(f)
}

func (s *stopped) Keep(files ...publish.Kept) bool {
	return s.step() == nil && s.Target.Keep(files...)
}

func (s *stopped) Commit() (publish.Summary, error) {
	if err := s.step(); err != nil {
		return publish.Summary{}, err
	}
	return s.Target.Commit()
}

// buildInto makes a tree in a target: it keeps files that are as before and puts the others,
// every other one in pieces.
func buildInto(d publish.Target, files map[string]string) error {
	for i, path := range slices.Sorted(maps.Keys(files)) {
		last, known := d.LastSum(path)
		if data, err := d.ReadLast(path); known && err == nil && string(data) == files[path] && d.Keep(last) {
			continue
		}
		var err error
		if i%2 == 0 {
			_, err = d.Put(path, []byte(files[path]))
		} else {
			_, err = d.PutFrom(publish.File{Path: path, Content: publish.Bytes([]byte(files[path])), Last: true})
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Commit()
	return err
}

// contentOf is what a reader of a tree sees.
func contentOf(t *testing.T, tree *siteTree) map[string]string {
	t.Helper()
	content := map[string]string{}
	for path := range tree.files {
		data, _, _, err := tree.Read(path)
		oktest.Check(t, err)
		content[path] = string(data)
	}
	return content
}

// A build that is stopped at any operation changes nothing that a reader sees, and the next
// one ends in the wholly new tree, an edit made meanwhile included. For a target on a disk,
// TestKilledAtAnyStepTheNextRunEndsInTheNewTree of compiler/publish holds it.
func TestStoppedAtAnyStepTheNextRunEndsInTheNewTree(t *testing.T) {
	first := map[string]string{"a.html": "a", "b/c.html": "c", "b/d/e.html": "e", "swap": "file", "turn/x": "x", "index.json": "1"}
	second := map[string]string{"a.html": "A", "b/c.html": "c", "new/n.html": "n", "swap/in": "dir", "turn": "file", "index.json": "2"}
	third := maps.Clone(second)
	third["a.html"], third["more.html"] = "edited", "more"
	for at := 1; ; at++ {
		tree := newTree(t)
		fill(t, tree, first)
		d := tree.Begin()
		err := buildInto(&stopped{Target: d, at: at}, second)
		oktest.Check(t, d.Abort())
		if d.complete {
			if err != nil || at < len(second) {
				t.Errorf("the build ends at operation %d: %v", at, err)
			}
			break
		}
		if diff := cmp.Diff(first, contentOf(t, tree)); diff != "" {
			t.Errorf("stopped at %d, the tree (-before +now):\n%s", at, diff)
		}
		if _, err := d.publish(); err == nil {
			t.Errorf("stopped at %d, the draft is shown", at)
		}
		next := tree.Begin()
		oktest.Check(t, buildInto(next, third))
		oktest.Value(next.publish())(t)
		if diff := cmp.Diff(third, contentOf(t, tree)); diff != "" {
			t.Errorf("after a stop at %d, the tree (-fresh +now):\n%s", at, diff)
		}
	}
}
