package store

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// manyFiles are more files than a block has.
func manyFiles() []File {
	var files []File
	for i := range 300 {
		files = append(files, File{
			Path: fmt.Sprintf("wiki/area-%03d/page-%05d.md", i/50, i), Quiet: i%3 > 0, Sum: Sum(payload(i)),
			Stat: Stat{Size: int64(i), ModTime: int64(i) - 1<<40, ChangeTime: int64(i) << 40, Inode: ^uint64(i)},
		})
	}
	return files
}

func TestLargeTreesAreReadAsWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state", "files")
	files := manyFiles()
	oktest.Check(t, UpdateTree(name, nil, slices.Values(files)))
	tree := OpenTree(name)
	if tree.Len() != len(files) {
		t.Fatal("the tree cannot be opened")
	}
	defer tree.Close()
	for i := range files {
		if f := tree.Find(files[i].Path); f == nil || *f != files[i] {
			t.Fatalf("%v was read as %v", files[i], f)
		}
	}
	for _, other := range []string{"wiki/x.md", "a", "zz", ""} {
		if tree.Find(other) != nil {
			t.Errorf("%q is known, and nobody added it", other)
		}
	}
	i := 149
	for f := range tree.From("wiki/area-002/page-00148.md/") {
		if *f != files[i] {
			t.Fatalf("%v is where %v belongs", f, files[i])
		}
		i++
	}
	if i != len(files) || tree.Err() != nil {
		t.Errorf("%d files, %v", i, tree.Err())
	}
	if (*LargeTree)(nil).Find("x") != nil || (*LargeTree)(nil).Len() > 0 || (*LargeTree)(nil).Close() != nil {
		t.Error("no tree knows a file")
	}
}

// Each open reads all of a tree: two blocks are enough to have a byte of every kind.
func TestADamagedLargeTreeIsNotOpened(t *testing.T) {
	name := filepath.Join(t.TempDir(), "files")
	oktest.Check(t, UpdateTree(name, nil, slices.Values(manyFiles()[:blockFiles+6])))
	data, _ := os.ReadFile(name)
	if tree := openTree(bytes.NewReader(data), int64(len(data))); tree.Len() != blockFiles+6 {
		t.Fatal("the tree cannot be opened")
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 4
		if openTree(bytes.NewReader(bad), int64(len(bad))) != nil || openTree(bytes.NewReader(data), int64(i)) != nil {
			t.Fatalf("damage at %d was not noticed", i)
		}
	}
}

// What cannot be read later is said: a caller that deletes what is not listed must know.
func TestALargeTreeSaysThatItCannotBeRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "files")
	oktest.Check(t, UpdateTree(name, nil, slices.Values(manyFiles())))
	tree := OpenTree(name)
	defer tree.Close()
	oktest.Check(t, os.Truncate(name, 5000))
	n := 0
	for range tree.All {
		n++
	}
	if n == tree.Len() || tree.Err() == nil {
		t.Errorf("%d files, %v", n, tree.Err())
	}
}

func TestATreeIsWrittenWhenItDiffers(t *testing.T) {
	files := manyFiles()
	changed := slices.Clone(files)
	changed[200].Quiet = !changed[200].Quiet
	for _, c := range []struct {
		what string
		now  []File
	}{
		{"the same", files}, {"a file less", files[:299]}, {"the first less", files[1:]}, {"none", nil}, {"one changed", changed},
		{"one more", append(slices.Clone(files), File{Path: "zz"})},
	} {
		name := filepath.Join(t.TempDir(), "files")
		oktest.Check(t, UpdateTree(name, nil, slices.Values(files)))
		before, _ := os.Stat(name)
		known := OpenTree(name)
		oktest.Check(t, UpdateTree(name, known, slices.Values(c.now)))
		_ = known.Close()
		after, _ := os.Stat(name)
		if same := os.SameFile(before, after); same != (c.what == "the same") {
			t.Errorf("%s: the file is the same: %t", c.what, same)
		}
		if got := ReadTree(name); got == nil || !slices.Equal(got.Files(), c.now) {
			t.Errorf("%s: the tree has other files", c.what)
		}
	}
}

func TestALargeTreeTakesFilesInOrderOnly(t *testing.T) {
	pairs := func(files []File, end error) iter.Seq2[File, error] {
		return func(yield func(File, error) bool) {
			for _, f := range files {
				if !yield(f, nil) {
					return
				}
			}
			if end != nil {
				yield(File{}, end)
			}
		}
	}
	if _, err := NewLargeTree(pairs([]File{{Path: "b"}, {Path: "a"}}, nil)); err == nil {
		t.Error("files in another order are taken")
	}
	if _, err := NewLargeTree(pairs([]File{{Path: "a"}}, os.ErrInvalid)); err == nil {
		t.Error("an error is lost")
	}
	tree, err := NewLargeTree(pairs(manyFiles(), nil))
	if err != nil || tree.Find("wiki/area-002/page-00148.md") == nil {
		t.Error(err)
	}
	if err := tree.Close(); err != nil || tree.Find("wiki/area-005/page-00290.md") != nil {
		t.Error("a closed tree is read:", err)
	}
}

func FuzzOpenTree(f *testing.F) {
	f.Add(encoded(NewTree([]File{{Path: "a/b", Sum: Sum(nil)}, {Path: "a/c"}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		sealed := Seal(treePurpose, bytes.Clone(data))
		tree := openTree(bytes.NewReader(sealed), int64(len(sealed)))
		if tree == nil {
			return
		}
		whole := decodeTree(sealed)
		if whole == nil {
			t.Fatal("one reader takes it, and the other does not")
		}
		i := 0
		for f := range tree.All {
			if *f != whole.files[i] {
				t.Errorf("%v is read as %v", whole.files[i], *f)
			}
			i++
		}
		if i != len(whole.files) {
			t.Errorf("%d files of %d", i, len(whole.files))
		}
	})
}
