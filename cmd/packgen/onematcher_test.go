package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/mcp"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/repo"
)

// scored is an entry that a task selects, and its score.
type scored struct {
	ID    string
	Score float64
}

// oneMatcher asks every room of a repository the same tasks.
type oneMatcher struct {
	*testing.T
	dir     string
	values  map[string]string
	session *sdk.ClientSession
}

// The same task gives the same entries and scores wherever it is asked, to the last digit:
// whatever dialect packgen.yaml names, in a repository as packgen init makes it, and in one
// that has locked packs, too.
func TestOneMatcherAnswersEverywhere(t *testing.T) {
	t.Parallel()
	for _, dialect := range loadout.Dialects() {
		for _, locked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, locked packs: %t", dialect, locked), func(t *testing.T) {
				t.Parallel()
				m := newOneMatcher(t, dialect, locked)
				found := 0
				for _, task := range m.tasks() {
					found += len(m.compare(task, dialect))
				}
				if found == 0 {
					t.Error("no task selects anything")
				}
				for task, first := range map[string]string{
					"what changed in v1.2.4": "handbook-releases-v124", "1.2.3": "handbook-releases-v123", "the C++ bindings": "handbook-releases-c-bindings",
				} {
					if list := m.compare(task, dialect); len(list) == 0 || list[0].ID != first {
						t.Errorf("%q selects %v, want %s first", task, list, first)
					}
				}
			})
		}
	}
}

// newOneMatcher makes a repository, builds it, and starts its MCP server.
func newOneMatcher(t *testing.T, dialect string, locked bool) *oneMatcher {
	home := t.TempDir()
	m := &oneMatcher{T: t, dir: filepath.Join(t.TempDir(), "new"), values: map[string]string{
		"HOME": home, "USERPROFILE": home, "PACKGEN_CACHE_DIR": filepath.Join(home, "cache"), "PACKGEN_MATCHER": "",
	}}
	m.run("init", "--name", "handbook", m.dir)
	oktest.Write(t, m.dir, map[string]string{"packs/handbook/documents/releases.md": releases()})
	config := filepath.Join(m.dir, "packgen.yaml")
	text, err := os.ReadFile(config)
	oktest.Check(t, err)
	named := strings.Replace(string(text), "\nmatcher: weighted ", "\nmatcher: "+dialect+" ", 1)
	if !strings.Contains(named, "\nmatcher: "+dialect+" ") {
		t.Fatalf("packgen.yaml names no matcher:\n%s", text)
	}
	oktest.Check(t, os.WriteFile(config, []byte(named), 0o666))
	if locked {
		archive := filepath.Join(home, "tills.tar.gz")
		m.run("-C", m.tills(), "pack", "tills", "--out", archive, "-q")
		m.run("-C", m.dir, "pull", archive, "-q")
	}
	m.run("-C", m.dir, "build", "-q")
	ours, theirs := sdk.NewInMemoryTransports()
	server := mcp.New(&repo.Repo{Paths: repo.Paths{Dir: m.dir, Start: m.dir}, Environment: environ(m.values), Elsewhere: elsewhere.Opened}, mcp.Options{Version: "1"})
	if _, err := server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	if m.session, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.session.Close() })
	return m
}

// releases is a page whose sections have names with signs.
func releases() string {
	page := "# Releases\n"
	for _, title := range []string{"2.0.0", "v1.2.4", "v1.2.3", "C++ bindings", "Python bindings"} {
		page += "\n## " + title + "\n\n" + strings.Repeat("What changed is the format of all that was kept. ", 30) + "\n"
	}
	return page
}

// tills makes a repository whose pack others may lock.
func (m *oneMatcher) tills() string {
	dir := m.TempDir()
	oktest.Write(m.T, dir, map[string]string{
		"packs/tills/KNOWLEDGE.md": "---\nname: tills\ndescription: How the tills of the shops are run. Use for the support of shops.\ntype: organization-knowhow\nprofile: document-first\nstatus: ready\nversion: 1.4.0\ntrust: user-confirmed\ngrounding: recommended\nmetadata:\n  compile: {join: 0}\n  primaryDocument: documents/counter.md\n---\n\n# tills\n",
		"packs/tills/documents/counter.md": "# Tills\n\nEach shop has two tills.\n\n## Count the drawer\n\nThe drawer is counted at closing, before the float is put back. Two people write both sums on the slip and sign it.\n\n" +
			"## Paper jam\n\nOpen the printer from the left and pull the roll upwards. Torn ends under the blade come out with tweezers.\n",
	})
	return dir
}

func (m *oneMatcher) run(args ...string) string {
	m.Helper()
	code, stdout, stderr := runIn(m.T, m.values, args...)
	if code != exitDone {
		m.Fatalf("%q: exit %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout
}

// tasks are the summaries of all entries, and tasks as people type them.
func (m *oneMatcher) tasks() []string {
	list := []string{"which bracket names the source of a claim", "count the drawers", "the printer has a paper jam", "what is for lunch", "how do I cite a source, and who writes the guide of the shops?"}
	for _, e := range m.index().Entries {
		list = append(list, e.Summary, strings.Join(e.Keywords, " "))
	}
	return list
}

func (m *oneMatcher) index() *loadout.Index {
	ws := &repo.Repo{Paths: repo.Paths{Dir: m.dir, Start: m.dir}, Environment: environ(m.values), Elsewhere: elsewhere.Opened}
	return oktest.Value(repo.ReadIndex(ws.Paths, "public/index.json"))(m)
}

// compare asks everywhere, and returns what packgen match answers.
func (m *oneMatcher) compare(task, dialect string) []scored {
	var match struct {
		Matcher string
		Result  []struct {
			Entry struct{ ID string }
			Score float64
		}
	}
	m.decode(m.run("-C", m.dir, "match", "--json", "--", task), &match)
	want := []scored{}
	for _, r := range match.Result {
		want = append(want, scored{r.Entry.ID, r.Score})
	}
	if match.Matcher != dialect {
		m.Errorf("match uses %s", match.Matcher)
	}
	m.same(task, "plan", m.planned(task, dialect), want)
	m.same(task, "match_knowledge", m.matched(task, dialect), want)
	m.same(task, "the match page", m.onPage(task, dialect), slices.DeleteFunc(slices.Clone(want), func(s scored) bool { return ofLocked(s) > 0 }))
	if hooked := m.hooked(task, dialect); len(hooked) > len(want) || len(hooked) == 0 && len(want) > 0 {
		m.Errorf("%q: the hook points to %v, match selects %v", task, hooked, want)
	} else {
		first := slices.Clone(want[:len(hooked)])
		slices.SortStableFunc(first, func(a, b scored) int {
			return cmp.Compare(ofLocked(a)^ofLocked(want[0]), ofLocked(b)^ofLocked(want[0]))
		})
		m.same(task, "the hook", hooked, first)
	}
	for _, s := range want {
		m.explained(task, s)
	}
	return want
}

// ofLocked is 1 for an entry of the locked pack, 0 for any other. The hook names the entries
// of each in an element of their own, that with the best one first.
func ofLocked(s scored) int {
	if strings.HasPrefix(s.ID, "tills") {
		return 1
	}
	return 0
}

func (m *oneMatcher) same(task, where string, got, want []scored) {
	m.Helper()
	if !slices.Equal(got, want) {
		m.Errorf("%q: %s answers\n%v, match\n%v", task, where, got, want)
	}
}

func (m *oneMatcher) decode(text string, to any) {
	m.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		m.Fatalf("%v in\n%s", err, text)
	}
}

func (m *oneMatcher) planned(task, dialect string) []scored {
	var plan struct {
		Matcher string
		Result  struct {
			Preload, OnDemand []struct {
				Entry struct{ ID string }
				Score float64
			}
		}
	}
	m.decode(m.run("-C", m.dir, "plan", "--json", "--", task), &plan)
	list := []scored{}
	for _, r := range slices.Concat(plan.Result.Preload, plan.Result.OnDemand) {
		list = append(list, scored{r.Entry.ID, r.Score})
	}
	if plan.Matcher != dialect {
		m.Errorf("plan uses %s", plan.Matcher)
	}
	return list
}

// explained asks packgen explain and explain_match about an entry that a task selects.
func (m *oneMatcher) explained(task string, want scored) {
	var x struct {
		Outlook struct {
			Rank   int
			Rating struct {
				Score    float64
				Included bool
			}
		}
	}
	m.decode(m.run("-C", m.dir, "explain", "--json", "--task", task, "--", want.ID), &x)
	if !x.Outlook.Rating.Included || x.Outlook.Rating.Score != want.Score {
		m.Errorf("%q: explain says of %v: %+v", task, want, x)
	}
	var over struct {
		Score    float64
		Selected bool
	}
	m.call("explain_match", map[string]any{"task": task, "id": want.ID}, &over)
	if !over.Selected || over.Score != want.Score {
		m.Errorf("%q: explain_match says of %v: %+v", task, want, over)
	}
}

func (m *oneMatcher) call(tool string, arguments map[string]any, to any) {
	m.Helper()
	r, err := m.session.CallTool(m.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || r.IsError {
		m.Fatalf("%s %v: %v, %+v", tool, arguments, err, r)
	}
	text := oktest.Value(json.Marshal(r.StructuredContent))(m)
	m.decode(string(text), to)
}

func (m *oneMatcher) matched(task, dialect string) []scored {
	var out struct {
		Matcher string
		Matches []scored
	}
	m.call("match_knowledge", map[string]any{"task": task, "limit": 100}, &out)
	if out.Matcher != dialect {
		m.Errorf("match_knowledge uses %s", out.Matcher)
	}
	return out.Matches
}

// onPage is what the matcher of the match page answers in the dialect that the page starts
// with. That the module answers as this code does is what the tests of assets/wasm hold.
func (m *oneMatcher) onPage(task, dialect string) []scored {
	page := oktest.Value(os.ReadFile(filepath.Join(m.dir, "public", "match.html")))(m)
	if !bytes.Contains(page, []byte(" data-dialect=\""+dialect+"\"")) {
		m.Errorf("the match page does not start with %s", dialect)
	}
	data := oktest.Value(loadout.Marshal(m.index()))(m)
	module := oktest.Value(loadout.OpenBinary(data))(m)
	var o loadout.MatchOptions
	o.Dialect, _ = loadout.NamedDialect(dialect)
	b := oktest.Value(module.Detail(task, o))(m)
	list := []scored{}
	for i := range b.Entries {
		if r := &b.Entries[i]; r.Included {
			list = append(list, scored{r.Entry.ID, r.Score.Total})
		}
	}
	return list
}

// hooked is what the prompt hook points to from the score that match has, as it notes it.
func (m *oneMatcher) hooked(task, dialect string) []scored {
	home := m.TempDir()
	var o loadout.MatchOptions
	o.Dialect, _ = loadout.NamedDialect(dialect)
	event := oktest.Value(json.Marshal(map[string]string{"prompt": task, "cwd": m.dir, "hook_event_name": "UserPromptSubmit"}))(m)
	values := map[string]string{hook.FloorVariable: fmt.Sprint(o.Threshold()), "PACKGEN_CACHE_DIR": m.values["PACKGEN_CACHE_DIR"]}
	hook.Run(hook.Options{
		Home: home, Stdin: bytes.NewReader(event), Stdout: &bytes.Buffer{}, TimeLimit: time.Minute,
		Lookup: func(name string) (string, bool) { value, ok := values[name]; return value, ok },
	})
	list := []scored{}
	log, err := os.Open(filepath.Join(home, ".ai-loadout", "usage.jsonl"))
	if err != nil {
		return list
	}
	defer log.Close()
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var e struct {
			EntryID string
			Score   float64
		}
		m.decode(lines.Text(), &e)
		list = append(list, scored{e.EntryID, e.Score})
	}
	return list
}
