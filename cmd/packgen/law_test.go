package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/resolver/repo"
)

// The law of builds: the tree after a build that knows of earlier ones is, byte for
// byte, that of a build which does everything again. Two repositories get the same
// edits; one is built with its store, the other with --no-cache. Everything but the
// state directory is compared, what the build prints too.
type lawRepo struct {
	*rand.Rand
	tb   testing.TB
	dirs [2]string // with a store, without
	now  time.Time
	n    int // of new names

	guides map[string]string // KNOWLEDGE.md of packs whose own is broken or gone
}

func newLawRepo(tb testing.TB, seed uint64) *lawRepo {
	tb.Helper()
	l := &lawRepo{guides: map[string]string{}, Rand: rand.New(rand.NewPCG(seed, 21)), tb: tb, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	root := tb.TempDir()
	l.dirs = [2]string{filepath.Join(root, "remembers", "repo"), filepath.Join(root, "forgets", "repo")}
	for name, text := range packtest.Files(packtest.Options{Name: "one", Pages: 5, Seed: seed}) {
		l.put("packs/one/"+name, text)
	}
	for name, text := range packtest.Files(packtest.Options{Name: "two", Profile: "hybrid", Pages: 4, Seed: seed + 1}) {
		l.put("packs/two/"+name, text)
	}
	l.put("packs/two/documents/guide.md", "# Guide\n\n## Fill {#fill}\n\n- Two litres. [source: sources/measurements.md#L1]\n\n## Boil\n\nSee [filling](#fill).\n")
	l.put("packs/three/KNOWLEDGE.md", "---\nname: three\ndescription: A small pack. Use it for tests.\ntype: domain-reference\nprofile: wiki-first\nstatus: ready\n---\n\n# Three\n")
	l.put("packs/three/wiki/a.md", "# A\n\nText with [B](b.md#part) and [[B]].\n")
	l.put("packs/three/wiki/b.md", "# B\n\n## Part {#part}\n\nSomething else.\n")
	l.put("packgen.yaml", "title: One\nbase_url: https://example.org/x/\n")
	return l
}

func (l *lawRepo) put(name, text string) {
	for _, dir := range l.dirs {
		writeText(l.tb, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
}

func (l *lawRepo) remove(name string) {
	for _, dir := range l.dirs {
		oktest.Check(l.tb, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))))
	}
}

// files lists what a directory of the repository holds, in path order.
func (l *lawRepo) files(dir string, keep func(name string) bool) []string {
	var list []string
	root := l.dirs[1]
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, name)
			if rel = filepath.ToSlash(rel); keep == nil || keep(rel) {
				list = append(list, rel)
			}
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		l.tb.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func (l *lawRepo) pick(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[l.IntN(len(list))]
}

func (l *lawRepo) page() string {
	return l.pick(l.files("packs", func(name string) bool {
		return strings.HasSuffix(name, ".md") && (strings.Contains(name, "/wiki/") || strings.Contains(name, "/documents/")) && !strings.Contains(name, "/compiled/")
	}))
}

func (l *lawRepo) text(name string) string { return read(l.tb, l.dirs[1], name) }

// edit makes one change to both repositories and says what it was.
func (l *lawRepo) edit() string {
	page := l.page()
	if page == "" {
		l.put("packs/three/wiki/a.md", "# A\n")
		return "add a page"
	}
	l.n++
	switch l.IntN(24) {
	case 0, 1, 2:
		l.put(page, l.text(page)+fmt.Sprintf("\nMore words, %d by now.\n\n- A claim of %d. [source: sources/measurements.md#L%d]\n", l.n, l.n, 1+l.IntN(9)))
		return "edit " + page
	case 3:
		name := filepath.ToSlash(filepath.Dir(page)) + fmt.Sprintf("/new-%d.md", l.n%4)
		l.put(name, fmt.Sprintf("# New %d\n\nA [link](%s) and `code`.\n\n```go\nfunc f%d() {}\n```\n", l.n, filepath.Base(page), l.n))
		return "add " + name
	case 4:
		l.remove(page)
		return "delete " + page
	case 5:
		to := filepath.ToSlash(filepath.Dir(page)) + fmt.Sprintf("/moved-%d.md", l.n%4)
		text := l.text(page)
		l.remove(page)
		l.put(to, text)
		return "rename " + page + " to " + to
	case 6:
		l.put("packs/three/wiki/b.md", fmt.Sprintf("# B\n\n## Part {#part-%d}\n\nSomething else.\n", l.n%3))
		return "move a heading that another page links to"
	case 7:
		lines := strings.Split(l.text(page), "\n")
		for i := range lines {
			if strings.HasPrefix(lines[i], "# ") {
				lines[i] = fmt.Sprintf("# Title %d", l.n)
				break
			}
		}
		l.put(page, strings.Join(lines, "\n"))
		return "change the title of " + page
	case 8:
		l.put(page, "---\ntitle: [broken\n---\n"+l.text(page))
		return "break the front matter of " + page
	case 9:
		text := l.text(page)
		if rest, ok := strings.CutPrefix(text, "---\ntitle: [broken\n---\n"); ok {
			text = rest
		}
		l.put(page, text)
		return "correct the front matter of " + page
	case 10:
		l.put("packgen.yaml", []string{
			"title: Two\n", "title: One\nsite:\n  highlight: false\n", "title: One\nbase_url: https://example.org/x/\n",
			"site:\n  sources: true\n", "loadout:\n  tokenizer: unicode\n",
			"rules:\n  - {rule: metadata-foreign, severity: error, reason: a test}\n",
			"rules:\n  - {rule: link-dropped, severity: error, reason: a test}\n  - {rule: entry-unroutable, severity: error, reason: a test}\n",
		}[l.IntN(7)])
		return "change the options"
	case 11:
		l.damage()
		return "damage the store"
	case 12:
		if made := l.pick(l.files("public", nil)); made != "" && !strings.HasSuffix(made, "manifest.json") {
			l.remove(made)
			return "delete " + made
		}
	case 13:
		if made := l.pick(l.files("public", nil)); made != "" && !strings.HasSuffix(made, "manifest.json") {
			text := []byte(l.text(made))
			if len(text) > 0 {
				text[len(text)/2] ^= 1 // of the same size
			}
			l.put(made, string(text))
			return "edit " + made
		}
	case 14:
		made := l.pick(l.files("packs", func(name string) bool {
			return strings.Contains(name, "/compiled/") || strings.Contains(name, "/indexes/")
		}))
		if made == "" {
			return "nothing"
		}
		if l.IntN(2) == 0 {
			l.remove(made)
			return "delete " + made
		}
		if strings.HasSuffix(made, ".md") {
			l.put(made, l.text(made)+"\nBy hand.\n")
		}
		return "edit " + made
	case 15:
		source := "packs/one/sources/measurements.md"
		l.put(source, fmt.Sprintf("Reading %d\n", l.n)+l.text(source))
		return "change a source"
	case 16:
		l.put("packs/three/KNOWLEDGE.md", fmt.Sprintf("---\nname: three\ndescription: Pack %d. Use it for tests.\ntype: domain-reference\nprofile: wiki-first\nstatus: %s\ngrounding: %s\n---\n\n# Three\n",
			l.n, []string{"ready", "stale", "needs-review"}[l.IntN(3)], []string{"required", "recommended"}[l.IntN(2)]))
		return "change a guide"
	case 17, 18:
		return l.spoil(page)
	case 19, 20:
		return l.restore()
	case 21, 22:
		l.remove("public")
		return "delete the site, " + l.breakGuide()
	}
	return "nothing"
}

// Marks of what spoils a file, so that it can be undone.
const (
	lawSecret = "\nThe token is ghp_" + "R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1aUe5XkT.\n"
	lawBytes  = "\nNo text: \xff\xfe.\n"
	lawOpen   = "---\nname: [\n"
)

// spoil makes a page or a pack one that cannot be published as it is.
func (l *lawRepo) spoil(page string) string {
	switch l.IntN(6) {
	case 0, 1:
		l.put(page, l.text(page)+lawSecret)
		return "put a secret into " + page
	case 2:
		l.put(page, l.text(page)+lawBytes)
		return "put bytes that are no text into " + page
	case 3:
		l.put("packs/twin/KNOWLEDGE.md", l.lastGuide("three"))
		return "add a pack with the name of another"
	case 4:
		name := l.packName()
		l.lastGuide(name)
		l.remove("packs/" + name + "/KNOWLEDGE.md")
		return "delete the guide of " + name
	}
	return l.breakGuide()
}

func (l *lawRepo) packName() string { return []string{"one", "two", "three"}[l.IntN(3)] }

// breakGuide makes a KNOWLEDGE.md one that cannot be read.
func (l *lawRepo) breakGuide() string {
	name := l.packName()
	l.put("packs/"+name+"/KNOWLEDGE.md", lawOpen+l.lastGuide(name))
	return "break the guide of " + name
}

// lastGuide returns the KNOWLEDGE.md of a pack as it was when it was sound, and keeps it.
func (l *lawRepo) lastGuide(name string) string {
	path := "packs/" + name + "/KNOWLEDGE.md"
	if data, err := os.ReadFile(filepath.Join(l.dirs[1], path)); err == nil {
		l.guides[name] = strings.TrimPrefix(string(data), lawOpen)
	}
	return l.guides[name]
}

// restore undoes what spoil did, for the most part.
func (l *lawRepo) restore() string {
	l.remove("packs/twin")
	for name, text := range l.guides {
		l.put("packs/"+name+"/KNOWLEDGE.md", text)
	}
	clear(l.guides)
	for _, page := range l.files("packs", nil) {
		if text := l.text(page); !strings.Contains(page, "/compiled/") && l.IntN(4) > 0 {
			if sound := strings.NewReplacer(lawSecret, "", lawBytes, "").Replace(text); sound != text {
				l.put(page, sound)
			}
		}
	}
	return "undo what was spoilt"
}

// damage breaks or removes some of what the repository remembers.
func (l *lawRepo) damage() {
	var list []string
	root := filepath.Join(l.dirs[0], repo.StateName)
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(name) != "lock" {
			list = append(list, name)
		}
		return nil
	})
	for range 1 + l.IntN(3) {
		name := l.pick(list)
		data, err := os.ReadFile(name)
		if name == "" || err != nil || len(data) == 0 {
			continue
		}
		switch l.IntN(3) {
		case 0:
			_ = os.Remove(name)
		case 1:
			_ = os.WriteFile(name, data[:l.IntN(len(data))], 0o666)
		default:
			for range 1 + len(data)/200 {
				data[l.IntN(len(data))]++
			}
			_ = os.WriteFile(name, data, 0o666)
		}
	}
}

// stageTimes is the line that says how long the stages of a build took.
var stageTimes = regexp.MustCompile(`(?m)^open .*total .*\n`)

// build builds both repositories and compares them. It returns what one of them said.
func (l *lawRepo) build(t *testing.T, what string) string {
	t.Helper()
	env := map[string]string{"SOURCE_DATE_EPOCH": fmt.Sprint(l.now.Unix())}
	var said [2]string
	for i, args := range [][]string{{"build"}, {"build", "--no-cache"}} {
		code, stdout, stderr := runIn(t, env, append([]string{"-C", l.dirs[i]}, args...)...)
		said[i] = fmt.Sprintf("exit %d\n%s%s", code, stdout, stageTimes.ReplaceAllString(stderr, ""))
		if code != exitDone && code != exitFindings {
			t.Fatalf("after %s: %s", what, said[i])
		}
	}
	if said[0] != said[1] {
		t.Errorf("after %s: with a store the build says\n%s\nwithout\n%s", what, said[0], said[1])
	}
	got, want := l.tree(0), l.tree(1)
	for name := range want {
		if got[name] != want[name] {
			at := 0
			for at < len(got[name]) && at < len(want[name]) && got[name][at] == want[name][at] {
				at++
			}
			at = max(0, at-200)
			t.Errorf("after %s: %s holds from byte %d on\n%.600q\nwant\n%.600q", what, name, at, got[name][min(at, len(got[name])):], want[name][at:])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("after %s: %s should not be there", what, name)
		}
	}
	return said[0]
}

func (l *lawRepo) tree(i int) map[string]string {
	return oktest.Read(l.tb, l.dirs[i], repo.StateName)
}

// obey makes random edits and builds after each few of them.
// It returns what the builds said.
func obey(t *testing.T, seed uint64, steps int) (said string) {
	l := newLawRepo(t, seed)
	l.build(t, "the first build")
	for step := range steps {
		var done []string
		for range 1 + l.IntN(5)/3 {
			done = append(done, l.edit())
		}
		if l.IntN(4) == 0 {
			l.now = l.now.Add(24 * time.Hour)
		}
		if l.IntN(3) == 0 {
			time.Sleep(20 * time.Millisecond) // so that times can be believed
		}
		said += l.build(t, fmt.Sprintf("step %d of seed %d: %s", step, seed, strings.Join(done, ", ")))
		if t.Failed() {
			break
		}
	}
	return said
}

func TestABuildThatRemembersIsAFreshBuild(t *testing.T) {
	t.Parallel()
	said := ""
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { said += obey(t, seed, 25) })
	}
	for _, fate := range []string{"is not up to date on the site", "is not on the site", "is withheld", "exit 0\n"} {
		if n := strings.Count(said, fate); !t.Failed() && n < 2 {
			t.Errorf("%d builds said %q: the edits try too little", n, fate)
		}
	}
}

// A fuzz engine takes a call of more than ten seconds for one that hangs: a call has few
// steps, and there are more of them.
func FuzzABuildThatRemembersIsAFreshBuild(f *testing.F) {
	f.Add(uint64(7))
	f.Fuzz(func(t *testing.T, seed uint64) { obey(t, seed, 3) })
}

// The same input gives the same site, whatever way it is built: into the packs, beside
// them, and in a run that finishes what another one was stopped in.
func TestEveryWayOfBuildingWritesOneSite(t *testing.T) {
	t.Parallel()
	l := newLawRepo(t, 5)
	source := l.dirs[1]
	site := func(dir string) map[string]string {
		return oktest.Read(t, filepath.Join(dir, "public"))
	}
	env := map[string]string{"SOURCE_DATE_EPOCH": fmt.Sprint(l.now.Unix())}
	build := func(ctx context.Context, dir string, args ...string) int {
		a := newApp(strings.NewReader(""), io.Discard, io.Discard)
		a.Environment = environ(env)
		return a.run(ctx, append([]string{"-C", dir, "build", "-q"}, args...))
	}
	copied := func() string {
		dir := filepath.Join(t.TempDir(), "repo") // its name is not to differ
		oktest.Check(t, os.CopyFS(dir, os.DirFS(source)))
		return dir
	}
	plain := copied()
	build(t.Context(), plain)
	want := site(plain)
	if len(want) < 20 {
		t.Fatalf("the site has %d files", len(want))
	}
	agrees := func(way, dir string) {
		got := site(dir)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if got[name] != want[name] {
				t.Errorf("%s: %s differs", way, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", way, len(got), len(want))
		}
	}
	beside := copied()
	build(t.Context(), beside, "--overlay", filepath.Join(t.TempDir(), "overlay"))
	agrees("build --overlay", beside)
	stopped := 0
	for asks := int64(1); asks < 4000; asks += 1 + asks/3 {
		dir := copied()
		ctx := newCountdown(asks)
		code := build(ctx, dir)
		ctx.cancel()
		build(t.Context(), dir)
		agrees(fmt.Sprintf("a build that was stopped when it asked %d times", asks), dir)
		if t.Failed() || code != exitMisuse {
			break
		}
		stopped++
	}
	if stopped < 3 {
		t.Errorf("only %d builds were stopped", stopped)
	}
}

func TestABuildThatFindsNothingChangedTouchesNothing(t *testing.T) {
	l := newLawRepo(t, 3)
	l.build(t, "the first build")
	time.Sleep(20 * time.Millisecond)
	before := modTimes(t, l.dirs[0])
	l.build(t, "nothing")
	for name, at := range modTimes(t, l.dirs[0]) {
		if !before[name].Equal(at) {
			t.Errorf("%s was written again", name)
		}
	}
}

func modTimes(t *testing.T, dir string) map[string]time.Time {
	times := map[string]time.Time{}
	for _, top := range []string{"packs", "public"} {
		err := filepath.WalkDir(filepath.Join(dir, top), func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				info, err := d.Info()
				if err != nil {
					return err
				}
				times[name] = info.ModTime()
			}
			return err
		})
		oktest.Check(t, err)
	}
	return times
}

// What one edit of a text touches: the page, what is cut from it, the records of its
// pack, and the lists that show it; no other page.
func TestAnEditWritesOnePage(t *testing.T) {
	l := newLawRepo(t, 4)
	l.build(t, "the first build")
	page := l.page()
	l.put(page, l.text(page)+"\nMore words.\n")
	before := modTimes(t, l.dirs[0])
	l.build(t, "an edit")
	for name, at := range modTimes(t, l.dirs[0]) {
		rel, _ := filepath.Rel(filepath.Join(l.dirs[0], "public"), name)
		below := strings.HasPrefix(rel, "packs/") && (strings.Contains(rel, "/wiki/") || strings.Contains(rel, "/documents/")) && strings.HasSuffix(rel, ".html")
		folder := filepath.Base(rel) == "index.html" && strings.HasPrefix(page, filepath.Dir(rel)+"/") // a list that shows it
		if mine := strings.TrimSuffix(page, ".md") + ".html"; below && !folder && rel != mine && !before[name].Equal(at) {
			t.Errorf("%s was written although only %s has changed", rel, page)
		}
	}
}
