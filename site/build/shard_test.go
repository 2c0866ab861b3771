package build

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/workspace"
)

func TestEveryPackIsInOneShard(t *testing.T) {
	var members []*workspace.Member
	for i := range 23 {
		members = append(members, &workspace.Member{Dir: fmt.Sprintf("packs/%d", i), Pack: &pack.Pack{Files: []pack.File{{Path: "documents/a.md", Stat: store.Stat{Size: int64(1 + i*i%700)}}}}})
	}
	for _, of := range []int{1, 2, 5, 23, 40} {
		seen := map[*workspace.Member]int{}
		var least, most int64 = 1 << 62, 0
		for n := range of {
			size := int64(0)
			for _, m := range (Shard{n + 1, of}).share(members) {
				seen[m]++
				size += m.Text()
			}
			least, most = min(least, size), max(most, size)
		}
		for _, m := range members {
			if seen[m] != 1 {
				t.Errorf("%d shards have %s %d times", of, m.Dir, seen[m])
			}
		}
		if of < 6 && most > least+700 {
			t.Errorf("of %d shards the largest has %d bytes, the smallest %d", of, most, least)
		}
	}
}

func TestAShardIsRead(t *testing.T) {
	if s, err := ParseShard("2/4"); err != nil || s != (Shard{2, 4}) {
		t.Errorf("2/4 is %v: %v", s, err)
	}
	for _, text := range []string{"", "2", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/2/3", "1/1001", " 1/2"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

// segments returns the bytes of each segment of a store, by its path.
func segments(t *testing.T, dir string) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	list, err := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sizes[strings.TrimPrefix(name, dir)] = len(data)
	}
	return sizes
}

func TestWhatPartsHoldIsNotCompiledAgain(t *testing.T) {
	build := func(dir string, o Options, parts ...string) {
		t.Helper()
		w := newRebuilds(t, dir).ws
		if remarks, err := Join(w, parts); err != nil || len(remarks) > 0 {
			t.Fatal(remarks, err)
		}
		b, err := Prepare(context.Background(), w, o)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		write := b.Do
		if o.Shard.Of > 0 {
			write = b.WriteShard
		}
		err = write(context.Background())
		if err != nil || b.Failed() {
			t.Fatal(err, b.Repository.Findings())
		}
	}
	plain, joined := smallPacks(t), smallPacks(t)
	build(plain, Options{})
	var parts []string
	known := 0
	for n := range 2 {
		part := filepath.Join(t.TempDir(), "part")
		build(smallPacks(t), Options{Out: part, Shard: Shard{n + 1, 2}})
		parts = append(parts, part)
		for _, size := range segments(t, filepath.Join(part, partStore)) {
			known += size
		}
	}
	build(joined, Options{}, parts...)
	added := 0
	had := segments(t, filepath.Join(parts[0], partStore))
	for name, size := range segments(t, filepath.Join(parts[1], partStore)) {
		had[name] = size
	}
	all := 0
	for _, size := range segments(t, filepath.Join(plain, ".packgen", "store")) {
		all += size
	}
	for name, size := range segments(t, filepath.Join(joined, ".packgen", "store")) {
		if had[name] == 0 {
			added += size
		}
	}
	if known == 0 || added > all/2 { // what is joined from pages of all packs is made here
		t.Errorf("a plain build keeps %d bytes, a joined one adds %d to the %d of the parts", all, added, known)
	}
	for _, name := range []string{"index.json", "index.html", "packs/pack-1/pack.tar.gz"} {
		a, err := os.ReadFile(filepath.Join(plain, "public", name))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(joined, "public", name)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}
