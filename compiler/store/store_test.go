package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// filled opens a store and adds n blobs and actions to a group.
func filled(t *testing.T, dir string, n int) *Disk {
	t.Helper()
	d := Open(dir)
	g := d.Group("a")
	for i := range n {
		data := payload(i)
		g.SetAction(Key("make", fmt.Sprint(i)), Result{g.SetBlob(data)})
	}
	return d
}

func payload(i int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("blob %d ", i)), 1+i*i%300) }

// wrong counts what a group does not know, and fails for what it knows wrongly.
func missing(t *testing.T, s Store, n int) int {
	t.Helper()
	lost := 0
	for i := range n {
		r, ok := s.Action(Key("make", fmt.Sprint(i)))
		if !ok {
			lost++
			continue
		}
		if len(r) != 1 || r[0] != Sum(payload(i)) {
			t.Fatalf("action %d came out as %v", i, r)
		}
		data, ok := s.Blob(r[0])
		if !ok {
			lost++
		} else if !bytes.Equal(data, payload(i)) {
			t.Fatalf("blob %d is not what was kept", i)
		}
	}
	return lost
}

func TestWhatIsKeptIsKnownAtOnceAndToTheNextRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const n = 500
	d := filled(t, dir, n)
	if lost := missing(t, d.Group("a"), n); lost > 0 {
		t.Errorf("%d are not known in the run that made them", lost)
	}
	d.Close()
	d = Open(dir)
	defer d.Close()
	if lost := missing(t, d.Group("a"), n); lost > 0 {
		t.Errorf("%d are not known to the next run", lost)
	}
	if _, ok := d.Group("b").Action(Key("make", "1")); ok {
		t.Error("another group knows it too")
	}
	if m := (&Memory{}); m.SetBlob(payload(3)) != Sum(payload(3)) {
		t.Error("memory addresses by another digest")
	}
}

func TestMemoryIsAStore(t *testing.T) {
	m := &Memory{}
	for i := range 50 {
		m.SetAction(Key("make", fmt.Sprint(i)), Result{m.SetBlob(payload(i))})
	}
	if lost := missing(t, m, 50); lost > 0 {
		t.Errorf("%d are lost", lost)
	}
	if _, ok := m.Blob(Sum([]byte("x"))); ok {
		t.Error("it knows a blob that nobody gave")
	}
}

func TestKeysTellListsOfTextsApart(t *testing.T) {
	seen := map[Digest][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"b", "a"}} {
		k := Key(parts...)
		if other, taken := seen[k]; taken {
			t.Errorf("%q and %q have one key", parts, other)
		}
		seen[k] = parts
	}
	if Key("a").With("b") == Key("a", "b") || Key("a").With("b") == Key("a").With("c") {
		t.Error("keys that depend on more meet")
	}
}

func TestADamagedSegmentCostsTimeOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const n = 40
	filled(t, dir, n).Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	if len(files) != 1 {
		t.Fatalf("segments: %v", files)
	}
	whole := oktest.Value(os.ReadFile(files[0]))(t)
	r := rand.New(rand.NewPCG(1, 2))
	lost := 0
	for i := range 400 {
		data := bytes.Clone(whole)
		switch i % 4 {
		case 0:
			data = data[:r.IntN(len(data))]
		case 1:
			data = append(data, byte(i))
		case 2:
			for range 20 {
				data[r.IntN(len(data))]++
			}
		default:
			data[len(data)-1-r.IntN(footerSize+n*itemSize)] ^= 1 << r.IntN(8)
		}
		oktest.Check(t, os.WriteFile(files[0], data, 0o666))
		d := Open(dir)
		lost += missing(t, d.Group("a"), n)
		if i%50 == 0 { // what was lost is made again, whether somebody missed it or not
			if i%100 == 0 {
				d.Close()
				d = Open(dir)
				d.ReadOnlyFromNow()
			}
			filledInto(d.Group("a"), n)
			if left := missing(t, d.Group("a"), n); left > 0 {
				t.Fatalf("%d are not known after they were made again", left)
			}
		}
		d.ReadOnlyFromNow()
		d.Close()
		_ = os.WriteFile(files[0], whole, 0o666)
	}
	if lost == 0 {
		t.Error("no damage was noticed")
	}
}

func TestASegmentOfAnotherVersionIsNotRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const n = 10
	filled(t, dir, n).Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	data := oktest.Value(os.ReadFile(files[0]))(t)
	other := bytes.Replace(data, []byte(magic), []byte("packgen store 9\n"), 1)
	oktest.Check(t, os.WriteFile(files[0], other, 0o666))
	d := Open(dir)
	defer d.Close()
	if got := missing(t, d.Group("a"), n); got != n {
		t.Errorf("%d of %d are unknown: a segment of another version was read", got, n)
	}
	filledInto(d.Group("a"), n)
	if got := missing(t, d.Group("a"), n); got > 0 {
		t.Errorf("%d are not known after they were made again", got)
	}
}

func TestAClockThatRunsBackwardsLosesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	const n = 40
	for run := range 8 {
		d := Open(dir)
		g := d.Group("a")
		g.clock = func() time.Time { return now.AddDate(0, 0, -run) }
		if run > 0 {
			if got := missing(t, g, n); got > 0 {
				t.Fatalf("run %d: %d are gone", run, got)
			}
		} else {
			filledInto(g, n)
		}
		g.SetAction(Key("run"), Result{g.SetBlob([]byte{byte(run)})})
		if r, ok := g.Action(Key("run")); !ok || r[0] != Sum([]byte{byte(run)}) {
			t.Errorf("run %d does not see what it has set itself", run)
		}
		d.Close()
	}
}

func filledInto(g *Group, n int) {
	for i := range n {
		g.SetAction(Key("make", fmt.Sprint(i)), Result{g.SetBlob(payload(i))})
	}
}

// ReadOnlyFromNow makes a store leave nothing behind.
func (d *Disk) ReadOnlyFromNow() {
	d.keep = false
	for _, g := range d.groups {
		g.keep = false
	}
}

func TestProcessesAtOnceHarmNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	var work sync.WaitGroup
	for p := range 6 {
		work.Go(func() {
			for round := range 5 {
				d := Open(dir)
				g := d.Group("a")
				for i := p * 20; i < p*20+40; i++ {
					Do(g, Key("make", fmt.Sprint(i)), func() []byte { return payload(i) })
				}
				_ = round
				d.Close()
			}
		})
	}
	work.Wait()
	d := Open(dir)
	defer d.Close()
	if lost := missing(t, d.Group("a"), 140); lost > 0 {
		t.Errorf("%d are lost", lost)
	}
}

func TestAKilledRunLeavesNothingThatIsRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	killed := filled(t, dir, 3000) // never closed
	d := Open(dir)
	if lost := missing(t, d.Group("a"), 3000); lost != 3000 {
		t.Errorf("%d of 3000 are not known", lost)
	}
	d.Close()
	left, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp"))
	if len(left) == 0 {
		t.Fatal("the killed run wrote nothing")
	}
	d.sweep(time.Now().Add(72 * time.Hour))
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	killed.ReadOnlyFromNow()
	killed.Close()
}

func TestWhereNothingCanBeWrittenTheRunGoesOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	oktest.Check(t, os.WriteFile(file, nil, 0o666))
	d := filled(t, filepath.Join(file, "store"), 300) // a directory cannot be made there
	if lost := missing(t, d.Group("a"), 300); lost > 0 {
		t.Errorf("%d are lost", lost)
	}
	d.Close()
}

func TestAFullDiskKeepsTheRestInMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	d := filled(t, dir, 200)
	g := d.Group("a")
	g.out.flush()
	g.out.file.Close() // every further write fails
	reopened := oktest.Value(os.Open(g.temp))(t)
	g.out.file = reopened
	filledInto(g, 3000)
	if !g.out.failed {
		t.Fatal("no write failed")
	}
	if lost := missing(t, g, 3000); lost > 0 {
		t.Errorf("%d are lost", lost)
	}
	d.Close()
	d = Open(dir)
	defer d.Close()
	missing(t, d.Group("a"), 3000)
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadOnlyLeavesNothingBehind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	filled(t, dir, 5).Close()
	before, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	d := ReadOnly(dir)
	filledInto(d.Group("a"), 2000)
	if lost := missing(t, d.Group("a"), 2000); lost > 0 {
		t.Errorf("%d are lost", lost)
	}
	d.Close()
	if after, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(after) != len(before) {
		t.Errorf("files: %v, before %v", after, before)
	}
	empty := ReadOnly("")
	filledInto(empty.Group("a"), 2000)
	if lost := missing(t, empty.Group("a"), 2000); lost > 0 {
		t.Errorf("%d are lost without a directory", lost)
	}
	empty.Close()
}

func TestManySegmentsBecomeFew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const n = 3 * maxSegments
	for i := range n {
		d := Open(dir)
		g := d.Group("a")
		g.SetAction(Key("make", fmt.Sprint(i)), Result{g.SetBlob(payload(i))})
		d.Close()
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	if len(files) > maxSegments+1 {
		t.Errorf("%d segments", len(files))
	}
	d := Open(dir)
	defer d.Close()
	if lost := missing(t, d.Group("a"), n); lost > 0 {
		t.Errorf("%d of %d are lost", lost, n)
	}
}

func TestWhatIsNotUsedForDaysGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	now := time.Now()
	at := func(days int) *Disk {
		d := Open(dir)
		d.Group("a").clock = func() time.Time { return now.AddDate(0, 0, days) }
		return d
	}
	d := at(0)
	filledInto(d.Group("a"), 60)
	d.Close()
	for day := 1; day < 12; day++ { // half of it is used each day
		d := at(day)
		for i := range 30 {
			if _, ok := d.Group("a").Action(Key("make", fmt.Sprint(i))); !ok {
				t.Fatalf("day %d: %d is lost although it is used", day, i)
			}
			d.Group("a").Blob(Sum(payload(i)))
		}
		d.Group("a").SetBlob([]byte(fmt.Sprint("new ", day)))
		d.Close()
	}
	d = at(12)
	defer d.Close()
	if lost := missing(t, d.Group("a"), 30); lost > 0 {
		t.Errorf("%d are lost although they are used", lost)
	}
	if lost := missing(t, d.Group("a"), 60); lost != 30 {
		t.Errorf("%d of 60 are gone, want the 30 that nobody used", lost)
	}
}

func TestAGroupThatNobodyWritesToGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	d := filled(t, dir, 5)
	d.Close()
	d.sweep(time.Now().Add(40 * 24 * time.Hour))
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTreesAreReadAsWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state", "files")
	var files []File
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		files = append(files, File{
			Path: fmt.Sprintf("wiki/area-%03d/page-%05d.md", i/50, i), Quiet: i%3 > 0, Sum: Sum(payload(i)),
			Stat: Stat{Size: r.Int64(), ModTime: r.Int64N(2) - r.Int64N(1<<40), ChangeTime: r.Int64N(1 << 60), Inode: r.Uint64()},
		})
	}
	oktest.Check(t, WriteTree(name, NewTree(files)))
	got := ReadTree(name)
	if got == nil || len(got.Files()) != len(files) {
		t.Fatal("the tree cannot be read")
	}
	for i := range files {
		if f := got.Find(files[i].Path); f == nil || *f != files[i] {
			t.Fatalf("%v was read as %v", files[i], f)
		}
	}
	if got.Find("wiki/x.md") != nil || (*Tree)(nil).Find("x") != nil || (*File)(nil).AtRest(Stat{}) {
		t.Error("a file is known that nobody added")
	}
	data, _ := os.ReadFile(name)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 4
		if decodeTree(bad) != nil || decodeTree(data[:i]) != nil {
			t.Fatalf("damage at %d was not noticed", i)
		}
	}
	left := name + ".123" + tempEnding
	oktest.Check(t, os.WriteFile(left, nil, 0o666))
	if err := RemoveTree(name); err != nil || ReadTree(name) != nil {
		t.Errorf("the tree is still there: %v", err)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("what a killed process left is still there")
	}
	if err := RemoveTree(name); err != nil {
		t.Error(err)
	}
}

func TestAFileIsAtRestOnlyWhenTimesCanBeBelieved(t *testing.T) {
	const s, ms = int64(time.Second), int64(time.Millisecond)
	now := 1000*s + 5
	for _, c := range []struct {
		what string
		stat Stat
		fine bool
		want bool
	}{
		{"long ago", Stat{ModTime: now - 10*s, ChangeTime: now - 10*s}, false, true},
		{"a second ago, coarse", Stat{ModTime: now - s, ChangeTime: now - s}, false, false},
		{"a second ago, fine", Stat{ModTime: now - s, ChangeTime: now - s}, true, true},
		{"a moment ago, fine", Stat{ModTime: now - 5*ms, ChangeTime: now - 5*ms}, true, false},
		{"whole milliseconds on a fine one", Stat{ModTime: 999 * s, ChangeTime: 999 * s}, true, false},
		{"touched back in time a moment ago", Stat{ModTime: 5, ChangeTime: now - 5*ms}, true, false},
		{"from the future", Stat{ModTime: now + 10*s, ChangeTime: now + 10*s}, true, false},
		{"no change time", Stat{ModTime: 5}, true, false},
	} {
		if got := Quiet(c.stat, now, c.fine); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	f := &File{Stat: Stat{Size: 3, ModTime: 4, ChangeTime: 5, Inode: 6}, Quiet: true, Sum: Sum(nil)}
	if !f.AtRest(f.Stat) {
		t.Error("an untouched file is not at rest")
	}
	for _, other := range []Stat{{4, 4, 5, 6}, {3, 5, 5, 6}, {3, 4, 6, 6}, {3, 4, 5, 7}} {
		if f.AtRest(other) {
			t.Errorf("a file that looks like %v is at rest", other)
		}
	}
}

func FuzzDecodeIndex(f *testing.F) {
	w := &segmentWriter{}
	x := w.add(item{name: name{blob, Sum([]byte("x"))}}, []byte("x"))
	f.Add(append([]byte("x"), encodeIndex([]item{x}, 1)...))
	f.Add([]byte(strings.Repeat("\x00", footerSize-len(magic)) + magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		index, err := decodeIndex(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for x := range index.items {
			if x.size != touched && (x.offset < 0 || x.offset+int64(x.size) > int64(len(data))) {
				t.Errorf("item %v leaves the file of %d bytes", x, len(data))
			}
		}
	})
}

func encoded(t *Tree) []byte {
	var b bytes.Buffer
	w := newTreeWriter(&b)
	for i := range t.files {
		w.add(&t.files[i])
	}
	_ = w.end() // a buffer takes everything
	return b.Bytes()
}

func FuzzDecodeTree(f *testing.F) {
	f.Add(encoded(NewTree([]File{{Path: "a/b", Sum: Sum(nil)}, {Path: "a/c"}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range [][]byte{data, Seal(treePurpose, bytes.Clone(data))} {
			if tree := decodeTree(text); tree != nil && !bytes.Equal(encoded(decodeTree(encoded(tree))), encoded(tree)) {
				t.Error("a tree changes when it is kept")
			}
		}
	})
}

// asUser has what follows in a test done by another user.
func asUser(t *testing.T, name string) {
	before := userKey
	userKey = func() *sealKey { return &sealKey{Digest: Key("of a test", name)} }
	t.Cleanup(func() { userKey = before })
}

// What is kept below a checkout may have come with it: nothing that another user has
// written is believed, in whatever form it is kept.
func TestWhatAnotherUserHasWrittenIsNotBelieved(t *testing.T) {
	dir := t.TempDir()
	tree, key := filepath.Join(dir, "files"), Key("an action")
	for _, tt := range []struct {
		name     string
		keep     func()
		believed func() bool
	}{
		{"a result", func() {
			d := Open(dir)
			d.Group("a").SetAction(key, Result{d.Group("a").SetBlob([]byte("forged"))})
			d.Close()
		}, func() bool {
			d := ReadOnly(dir)
			defer d.Close()
			_, ok := d.Group("a").Action(key)
			return ok
		}},
		{"a tree", func() { _ = WriteTree(tree, NewTree([]File{{Path: "a", Sum: Sum(nil)}})) }, func() bool { return ReadTree(tree) != nil }},
		{"a large tree", func() { _ = WriteTree(tree, NewTree([]File{{Path: "a", Sum: Sum(nil)}})) }, func() bool {
			large := OpenTree(tree)
			return large != nil && large.Close() == nil
		}},
		{"bytes", func() { _ = os.WriteFile(tree, Seal("p", []byte("x")), 0o666) }, func() bool {
			data, _ := os.ReadFile(tree)
			_, ok := Unseal("p", data)
			return ok
		}},
	} {
		asUser(t, "stranger")
		tt.keep()
		if !tt.believed() {
			t.Errorf("%s: who wrote it does not know it", tt.name)
		}
		asUser(t, "ann")
		if tt.believed() {
			t.Errorf("%s of another user is believed", tt.name)
		}
	}
}

func TestASealIsOfUseForOneThing(t *testing.T) {
	if _, ok := Unseal("p", Seal("q", []byte("x"))); ok {
		t.Error("a seal for another purpose is taken")
	}
	if _, ok := unsealAction(Key("a"), sealAction(Key("b"), nil)); ok {
		t.Error("the result of another action is taken")
	}
	if got, ok := Unseal("p", Seal("p", []byte("x"))); !ok || string(got) != "x" {
		t.Errorf("%q comes back", got)
	}
	if _, ok := Unseal("p", []byte("short")); ok {
		t.Error("bytes without a seal are taken")
	}
}

// A blob with a right checksum and other bytes than its name says is not one.
func TestABlobIsWhatItsNameSays(t *testing.T) {
	dir := t.TempDir()
	d := Open(dir)
	g := d.Group("a")
	n := name{blob, Sum([]byte("true"))}
	g.set(n, []byte("forged"))
	d.Close()
	d = ReadOnly(dir)
	defer d.Close()
	if data, ok := d.Group("a").Blob(n.digest); ok {
		t.Errorf("the blob is %q", data)
	}
}

func TestTheKeyIsOfTheUser(t *testing.T) {
	home := t.TempDir()
	dir := func() (string, error) { return home, nil }
	next := func(secret string) Digest {
		k := findKey(secret, dir)
		k.keep()
		return k.Digest
	}
	if findKey("", dir); len(read(t, home)) > 0 {
		t.Error("a key is written before anything is kept")
	}
	key := next("")
	if again := next(""); again != key || !key.Known() {
		t.Error("the next process has another key")
	}
	if secret := next("a secret of a pipeline"); secret == key || secret != findKey("a secret of a pipeline", nil).Digest {
		t.Error("a secret does not take the place of the file")
	}
	if next("short") != key {
		t.Error("a secret that is guessed is used")
	}
	name := filepath.Join(home, keyName)
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the key: %v", err)
	}
	for _, damaged := range []string{"", "short", string(make([]byte, 32)), string(make([]byte, 33))} {
		oktest.Check(t, os.WriteFile(name, []byte(damaged), 0o600))
		if fresh := next(""); fresh == key || fresh != next("") {
			t.Errorf("after the file was %q, the key is not a new one that is kept", damaged)
		}
	}
	none := func() (string, error) { return "", errors.New("there is no home") }
	if first := findKey("", none).Digest; first == findKey("", none).Digest {
		t.Error("without a file a key is guessed")
	}
}

// read lists a directory.
func read(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	return oktest.Value(os.ReadDir(dir))(t)
}
