package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/doctor"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/mcp"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/repo"
)

// doorsPage is the page of the manual that shows what each door costs and brings.
const doorsPage = "reference/measuring.md"

// The tasks are from before the first measurement: a change of their wording after it
// would make the table a table of the author's luck.
const doorTasks = 60

// doorTask is a prompt and the text that it needs, as lines that all have to arrive.
type doorTask struct {
	prompt string
	need   []string
}

// door is a row of the table: what a set-up costs in every session and for a task.
type door struct {
	setup, name  string
	always, task int // tokens: of every session, and the sum over the tasks
	tasks        int
	arrived      int // tasks whose needed text is in the session
	there        int // those of them that need no door, since it is in every session
}

// entered notes the text that a task brings into a session that holds another already.
func (d *door) entered(task doorTask, always, text string) {
	d.task += token.Estimate(text)
	d.tasks++
	switch {
	case task.isIn(always):
		d.there++
		d.arrived++
	case task.isIn(always + "\n" + text):
		d.arrived++
	}
}

// isIn reports whether all that a task needs is in a text.
func (task *doorTask) isIn(text string) bool {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		lines[line] = true
	}
	return !slices.ContainsFunc(task.need, func(line string) bool { return !lines[line] })
}

// The table of the manual says what this repository's own code does to three set-ups and
// sixty tasks.
func TestManualHasTheFiguresOfTheDoors(t *testing.T) {
	t.Parallel()
	tasks := readDoorTasks(t, "tasks.txt", doorTasks)
	pack := packDoors(t, tasks["pack"])
	table := doorTable(slices.Concat(fileDoors(t, tasks["file"]), noteDoors(t, tasks["note"]), pack))
	name := filepath.Join(manual, doorsPage)
	page := oktest.Value(os.ReadFile(name))(t)
	const heading = "\n### Doors\n"
	before, after, ok := strings.Cut(string(page), heading)
	if !ok {
		t.Fatalf("%s has no %q", doorsPage, strings.TrimSpace(heading))
	}
	end := strings.Index(after, "\n## ")
	made := before + heading + replaceTable(t, after[:end], "Set-up", table) + after[end:]
	if made == string(page) {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not what the doors do now: go test ./cmd/packgen -run %s -update\n%s", doorsPage, t.Name(), table)
	}
	oktest.Check(t, os.WriteFile(name, []byte(made), 0o644))
}

// doorTable is the table of some doors.
func doorTable(list []door) string {
	var b strings.Builder
	b.WriteString("| Set-up | Door | In every session | For a task, mean | Together | Needed text arrives | Brought by the door |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, d := range list {
		mean := (d.task + d.tasks/2) / d.tasks
		brought := ""
		if d.there < d.tasks {
			brought = fmt.Sprintf("%d of %d ", d.arrived-d.there, d.tasks-d.there)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d of %d | %s|\n", d.setup, d.name,
			amount.Grouped(d.always), amount.Grouped(mean), amount.Grouped(d.always+mean), d.arrived, d.tasks, brought)
	}
	return b.String()
}

// Descriptions and keywords were improved with these prompts, never with those of the
// table: what they bring may not fall again.
func TestDoorsBringWhatDevelopmentPromptsNeed(t *testing.T) {
	t.Parallel()
	tasks := readDoorTasks(t, "development.txt", 63)
	list := slices.Concat(fileDoors(t, tasks["file"]), noteDoors(t, tasks["note"]), packDoors(t, tasks["pack"]))
	t.Logf("\n%s", doorTable(list))
	least := map[string]int{
		"instruction file, rules: `rules split`, as skills": 7, "the same, its words in `signals.json`, rules: `rules split`, as skills": 13,
		"instruction file, hook: `rules split --as lazy`, pointers": 6, "the same, its words in `signals.json`, hook: `rules split --as lazy`, pointers": 12,
		"pack of 300 pages, skills: `export skills`": 16,
	}
	for _, d := range list {
		name := d.setup + ", " + d.name
		if brought := d.arrived - d.there; brought < least[name] {
			t.Errorf("%s: the needed text arrives for %d tasks, was %d", name, brought, least[name])
		}
		delete(least, name)
	}
	if len(least) > 0 {
		t.Errorf("no row is called %v", slices.Sorted(maps.Keys(least)))
	}
}

// doorSignals are words of the file's headings, as a project names its own.
const doorSignals = `{"domainSignals": ["migrations", "errors", "logging", "fares", "payments", "crew", "jobs", "caching",
 "personal data", "releases", "incidents", "timetables", "api"]}`

// fileDoors measures a long instruction file, with the usual signals and with its own.
func fileDoors(t *testing.T, tasks []doorTask) []door {
	whole := readDoors(t, "instructions.md")
	before := door{setup: "instruction file", name: "none: the whole file", always: token.Estimate(whole)}
	for _, task := range tasks {
		before.entered(task, whole, "")
	}
	list := []door{before}
	files := map[string]string{"packgen.yaml": "", "CLAUDE.md": whole}
	list = append(list, splitDoors(t, before.setup, files, tasks)...)
	files[".claude/signals.json"] = doorSignals
	return append(list, splitDoors(t, "the same, its words in `signals.json`", files, tasks)...)
}

// splitDoors measures what the ways of a split bring.
func splitDoors(t *testing.T, setup string, files map[string]string, tasks []doorTask) []door {
	skills := door{setup: setup, name: "rules: `rules split`, as skills"}
	pointers := door{setup: setup, name: "hook: `rules split --as lazy`, pointers"}
	injected := door{setup: setup, name: "hook: the same with `--inject`"}
	asSkills, lazy := t.TempDir(), t.TempDir()
	oktest.Write(t, asSkills, files)
	oktest.Write(t, lazy, files)
	doorRun(t, asSkills, "rules", "split", "--yes")
	doorRun(t, lazy, "rules", "split", "--as", "lazy", "--yes")
	list := readSkills(t, filepath.Join(asSkills, ".claude", "skills"))
	kept, table := read(t, asSkills, "CLAUDE.md"), read(t, lazy, "CLAUDE.md")
	skills.always = token.Estimate(kept) + skillHeads(list)
	pointers.always, injected.always = token.Estimate(table), token.Estimate(table)
	for _, task := range tasks {
		skills.entered(task, kept, loadedSkills(task.prompt, list))
		pointers.entered(task, table, pointedTo(t, lazy, task.prompt))
		injected.entered(task, table, promptedBy(t, lazy, task.prompt, hook.DefaultInject))
	}
	return []door{skills, pointers, injected}
}

// noteDoors measures a store of memories. An agent that keeps such a store loads its list
// in every session, whatever a hook does.
func noteDoors(t *testing.T, tasks []doorTask) []door {
	dir := t.TempDir()
	notes, list := doorNotes(t)
	notes["packgen.yaml"] = ""
	oktest.Write(t, dir, notes)
	doorRun(t, dir, "memory", "index", "MEMORY.md", "--out", ".claude/loadout/index.json")
	whole := joined(notes, func(name string) bool { return strings.HasPrefix(name, "notes/") })
	before := door{setup: "100 notes", name: "none: all notes", always: token.Estimate(whole)}
	listed := door{setup: before.setup, name: "none: the list alone", always: token.Estimate(list)}
	pointers := door{setup: before.setup, name: "hook: pointers, beside the list", always: token.Estimate(list)}
	injected := door{setup: before.setup, name: "hook: `--inject`, beside the list", always: token.Estimate(list)}
	for _, task := range tasks {
		before.entered(task, whole, "")
		listed.entered(task, list, "")
		pointers.entered(task, list, pointedTo(t, dir, task.prompt))
		injected.entered(task, list, promptedBy(t, dir, task.prompt, hook.DefaultInject))
	}
	return []door{before, listed, pointers, injected}
}

// packDoors measures a pack.
func packDoors(t *testing.T, tasks []doorTask) []door {
	dir := t.TempDir()
	pages := doorPages(t)
	pages["packgen.yaml"] = "title: Platform\n"
	oktest.Write(t, dir, pages)
	doorRun(t, dir, "build")
	doorRun(t, dir, "export", "skills", "--out", filepath.Join(dir, "skills"))
	whole := joined(pages, func(name string) bool { return path.Dir(name) == "packs/platform/documents" })
	list := readSkills(t, filepath.Join(dir, "skills"))
	before := door{setup: "pack of 300 pages", name: "none: all pages", always: token.Estimate(whole)}
	skills := door{setup: before.setup, name: "skills: `export skills`", always: skillHeads(list)}
	pointers := door{setup: before.setup, name: "hook: pointers"}
	injected := door{setup: before.setup, name: "hook: `--inject`"}
	server := door{setup: before.setup, name: "MCP: `resolve_context`"}
	session, tools := doorSession(t, dir)
	server.always = token.Estimate(tools)
	for _, task := range tasks {
		before.entered(task, whole, "")
		skills.entered(task, "", loadedSkills(task.prompt, list))
		pointers.entered(task, "", pointedTo(t, dir, task.prompt))
		injected.entered(task, "", promptedBy(t, dir, task.prompt, hook.DefaultInject))
		server.entered(task, "", resolved(t, session, task.prompt))
	}
	return []door{before, skills, pointers, injected, server}
}

// skill is a skill that an agent knows by its description.
type skill struct {
	name, description string
	listed
}

// listed is a text with the files that its lists refer to.
type listed struct {
	line, text string // line is the one that refers to it
	files      []listed
}

var referenceLine = regexp.MustCompile(`(?m)^- \[[^\]\n]*\]\(([^)\n]+)\).*$`)

// readSkills reads the skills below a directory.
func readSkills(t *testing.T, dir string) []skill {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "SKILL.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no skill, %v", dir, err)
	}
	var list []skill
	for _, name := range names {
		at := filepath.Dir(name)
		s := skill{name: filepath.Base(at), listed: readListed(t, at, "SKILL.md")}
		block, _ := frontmatter.Read([]byte(s.text), frontmatter.Options{})
		_, head, _ := strings.Cut(s.text[:block.End], "\ndescription: ")
		s.description, _, _ = strings.Cut(head, "\n")
		list = append(list, s)
	}
	return list
}

// readListed reads a file of a skill, and those that it lists when it is a list: the
// skill itself, or one of several for many files.
func readListed(t *testing.T, dir, name string) listed {
	t.Helper()
	l := listed{text: read(t, dir, name)}
	if name != "SKILL.md" && !strings.HasPrefix(path.Base(name), "contents-") {
		return l
	}
	for _, m := range referenceLine.FindAllStringSubmatch(l.text, -1) {
		if file := path.Join(path.Dir(name), m[1]); fileExists(dir, file) {
			f := readListed(t, dir, file)
			f.line = m[0]
			l.files = append(l.files, f)
		}
	}
	return l
}

func fileExists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

// skillHeads is what the names and descriptions of skills cost in every session.
func skillHeads(list []skill) int {
	sum := 0
	for _, s := range list {
		sum += token.Estimate(s.name + ": " + s.description)
	}
	return sum
}

// loadedSkills is what a prompt brings when a skill loads exactly if the scorer of resolve
// selects its description, and a reference exactly if it selects its line in the list. A
// skill that is the only one is taken to load.
func loadedSkills(prompt string, list []skill) string {
	var heads []rank.Section
	for _, s := range list {
		heads = append(heads, rank.Section{Path: s.name, Title: s.name, Text: s.description})
	}
	chosen := selectedBy(prompt, heads)
	if len(list) == 1 {
		chosen = []int{0}
	}
	var b strings.Builder
	for _, i := range chosen {
		list[i].load(&b, prompt)
	}
	return b.String()
}

// load writes a text and what of its files a prompt brings.
func (l *listed) load(b *strings.Builder, prompt string) {
	b.WriteString(l.text + "\n")
	var lines []rank.Section
	for _, f := range l.files {
		lines = append(lines, rank.Section{Path: f.line, Title: f.line})
	}
	for _, n := range selectedBy(prompt, lines) {
		l.files[n].load(b, prompt)
	}
}

func selectedBy(prompt string, sections []rank.Section) (list []int) {
	if len(sections) == 0 {
		return nil
	}
	for _, hit := range (rank.BM25F{}).Score(prompt, sections).Ranked(nil) {
		list = append(list, hit.Section)
	}
	return list
}

// promptedBy is what the prompt hook adds to a prompt in a directory.
func promptedBy(t *testing.T, dir, prompt string, inject int) string {
	t.Helper()
	event := oktest.Value(json.Marshal(map[string]string{"hook_event_name": "UserPromptSubmit", "cwd": dir, "prompt": prompt}))(t)
	var out strings.Builder
	hook.Run(hook.Options{
		Home: t.TempDir(), Inject: inject, TimeLimit: time.Hour,
		Lookup: func(string) (string, bool) { return "", false },
		Stdin:  strings.NewReader(string(event)), Stdout: &out,
	})
	text, _ := doctor.AddedContext(out.String())
	return text
}

// pointedTo is what the pointers of the hook bring: themselves, and each text they name,
// since an agent that follows them reads them all at most.
func pointedTo(t *testing.T, dir, prompt string) string {
	t.Helper()
	pointers := promptedBy(t, dir, prompt, 0)
	text := pointers
	for line := range strings.SplitSeq(pointers, "\n") {
		if _, name, ok := strings.Cut(line, " → "); ok {
			text += "\n" + read(t, dir, name)
		}
	}
	return text
}

// doorSession starts a server in a directory and returns a client and what the server puts
// into every session: its instructions and its tools as a model sees them.
func doorSession(t *testing.T, dir string) (*sdk.ClientSession, string) {
	t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	server := mcp.New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: environ(nil), Elsewhere: elsewhere.Opened}, mcp.Options{Version: "1"})
	if _, err := server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	session := oktest.Value(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil))(t)
	t.Cleanup(func() { session.Close() })
	text := session.InitializeResult().Instructions
	tools := oktest.Value(session.ListTools(t.Context(), nil))(t)
	for _, tool := range tools.Tools {
		schema := oktest.Value(json.Marshal(tool.InputSchema))(t)
		text += "\n" + tool.Name + "\n" + tool.Description + "\n" + string(schema)
	}
	return session, text
}

// resolved is the text of a tool's answer to a task in the developer's own words.
func resolved(t *testing.T, session *sdk.ClientSession, prompt string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "resolve_context", Arguments: map[string]any{"task": prompt}})
	if err != nil || result.IsError {
		t.Fatalf("resolve_context %q: %v, %+v", prompt, err, result)
	}
	return result.Content[0].(*sdk.TextContent).Text
}
