package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/agent/rules/vocabulary"
	"github.com/packgen/packgen/resolver/repo"
)

// Kind is what an export makes.
type Kind string

// The kinds.
const (
	Skills   Kind = "skills"    // a folder for each pack, as agentskills.io defines it
	AgentsMD Kind = "agents-md" // a block in AGENTS.md, and the texts that it refers to
	Rules    Kind = "rules"     // rules of Claude Code, each with the paths that load it
	OKF      Kind = "okf"       // a bundle of the Open Knowledge Format
	Boot     Kind = "boot"      // a role with a boot.yml
)

// Kinds lists the kinds by name.
func Kinds() []string {
	return []string{string(Skills), string(AgentsMD), string(Rules), string(OKF), string(Boot)}
}

// Ids of what an export finds.
const (
	limitID   = "export-limit"      // more than the reader of the format takes
	leftID    = "export-left-out"   // the format has no place for it
	takenID   = "export-name-taken" // two packs would be one
	foreignID = "export-not-ours"   // somebody else's file is where one of ours belongs
	markedID  = "export-marked"     // something is stale, disputed or not ready, and says so
)

// File is one file of an export.
type File struct {
	Path string // below the directory of the export
	Data []byte
	pack string
}

// Options say what is exported, and where to.
type Options struct {
	Kind   Kind
	Packs  []string // by name or directory; none: all that are not archived
	Out    string   // absolute
	DryRun bool
}

// Export is what was exported, or would be.
type Export struct {
	Kind     Kind
	Packs    []string
	Files    []Written
	Findings []diag.Diagnostic
	Dirs     map[string]string // of the packs, for messages
}

// Run exports packs: it compiles them without writing, makes the files, and writes all
// of them or none.
func Run(ctx context.Context, w *repo.Repo, o Options) (*Export, error) {
	all, r, err := w.OpenForCheck(o.Packs)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	if err := checkOut(w, o.Out, all); err != nil {
		return nil, err
	}
	now, err := repo.RunTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	if err := r.Compile(ctx, repo.CompileOptions{Each: compiler.Options{DryRun: true, Now: now}}); err != nil {
		return nil, err
	}
	e := &Export{Kind: o.Kind, Dirs: r.Dirs()}
	var found []diag.Diagnostic
	files, err := e.make(w, r, &found)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Findings() {
		if f.Severity == diag.Error {
			found = append(found, f)
		}
	}
	if diag.Count(found, diag.Error) == 0 {
		all := len(o.Packs) == 0
		if e.Files, err = write(ctx, w, o, e.Packs, all, files, &found); err != nil {
			return nil, err
		}
	}
	diag.Sort(found)
	e.Findings = found
	return e, nil
}

// make makes the files of all packs.
func (e *Export) make(w *repo.Repo, r *repo.Packs, found *[]diag.Diagnostic) ([]File, error) {
	var files []File
	var lines []string
	listing := 0
	names := map[string]*repo.Member{}
	for _, m := range r.Members {
		if m.Pack == nil || m.Unusable() || m.Unsound() {
			continue // its findings say why
		}
		name := m.Pack.Meta.Name
		if e.Kind != OKF {
			name = skillName(name)
		}
		s, err := open(m, found)
		if err != nil {
			return nil, err
		}
		if s.left[pack.EntryName] {
			continue
		}
		if other := names[name]; other != nil {
			s.report(takenID, diag.Error, pack.EntryName, "rename one of them, or export them to two directories", "%q is the name that the pack %s gets too", name, other.Pack.Meta.Name)
			continue
		}
		names[name] = m
		if e.Kind != OKF && name != m.Pack.Meta.Name {
			s.report(leftID, diag.Warning, pack.EntryName, "rename the pack to keep its name", "the export calls the pack %q: agents refuse its own name", name)
		}
		made, more, err := e.onePack(w, s, name, now(w, m))
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", m.Pack.Meta.Name, err)
		}
		for _, f := range made {
			f.pack = m.Pack.Meta.Name
			files = append(files, f)
		}
		lines = append(lines, more...)
		listing += token.Units(m.Pack.Meta.Description)
		e.Packs = append(e.Packs, m.Pack.Meta.Name)
	}
	switch {
	case e.Kind == Skills && listing > maxListing:
		*found = append(*found, diag.Diagnostic{ID: limitID, Severity: diag.Warning, Path: skillFile, Message: fmt.Sprintf("the descriptions have %d characters together; agents list about %d and leave out the rest", listing, maxListing), Hint: "shorten the descriptions, or export fewer packs"})
	case e.Kind == AgentsMD && len(lines) > 0:
		text, left := agentsBlock(lines)
		if left > 0 {
			*found = append(*found, diag.Diagnostic{ID: limitID, Severity: diag.Warning, Path: agentsFile, Message: fmt.Sprintf("the block in AGENTS.md has room for %d packs: %d are left out of it", len(lines)-left, left), Hint: "export fewer packs"})
		}
		files = append(files, File{Path: agentsFile, Data: []byte(text)})
	}
	return files, nil
}

// now is the time that an export of a pack names: the one that is set, otherwise the day
// of its last update. It is "" when neither is known: no output has the time of the clock.
func now(w *repo.Repo, m *repo.Member) string {
	if t, err := repo.RunTime(w.Getenv); err == nil && !t.IsZero() {
		return t.UTC().Format("2006-01-02T15:04:05+00:00")
	}
	if day := m.Pack.Meta.Updated; len(day) == len("2006-01-02") && !strings.ContainsFunc(day, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) {
		return day + "T00:00:00+00:00"
	}
	return ""
}

// onePack makes the files of one pack, and its lines in AGENTS.md.
func (e *Export) onePack(w *repo.Repo, s *source, name, at string) (files []File, lines []string, err error) {
	switch e.Kind {
	case AgentsMD:
		return s.agentsFiles()
	case Skills:
		files, err = s.skill(name)
	case OKF:
		files, err = s.bundle(at)
	case Boot:
		files, err = s.role()
	case Rules:
		return s.rules(w.Paths.Dir), nil, nil
	default:
		return nil, nil, errors.New("nothing exports that kind")
	}
	for i := range files {
		files[i].Path = name + "/" + files[i].Path
	}
	return files, nil, err
}

// head is the front matter of a file, changed line by line so that everything else in it
// keeps its bytes.
type head struct {
	lines []string // with their line ends, without the markers
	keys  map[string]span
	body  []byte
}

// span is where a key and its value are among the lines.
type span struct {
	first, end int
	value      *yaml.Node
}

// readHead takes a file apart; ok is false when its front matter cannot be read.
func readHead(text []byte) (h *head, ok bool) {
	block, _ := frontmatter.Read(text, frontmatter.Options{})
	h = &head{keys: map[string]span{}, body: text[block.End:]}
	if block.End == 0 {
		return h, true
	}
	all := slices.Collect(strings.Lines(string(text[:block.End])))
	h.lines = all[1 : len(all)-1]
	if block.Node == nil {
		return h, strings.TrimSpace(strings.Join(h.lines, "")) == ""
	}
	if block.Node.Style&yaml.FlowStyle != 0 {
		return h, len(block.Node.Content) == 0
	}
	content := block.Node.Content
	for i := 0; i+1 < len(content); i += 2 {
		end := len(h.lines)
		if i+2 < len(content) {
			end = content[i+2].Line - 2
		}
		h.keys[content[i].Value] = span{content[i].Line - 2, end, content[i+1]}
	}
	return h, true
}

// text returns the value of a key that is a single text; "" otherwise.
func (h *head) text(key string) string {
	if s, ok := h.keys[key]; ok && s.value.Kind == yaml.ScalarNode && s.value.Tag != "!!null" {
		return s.value.Value
	}
	return ""
}

func (h *head) has(key string) bool {
	_, ok := h.keys[key]
	return ok
}

// remove takes a key out, with its value.
func (h *head) remove(key string) {
	s, ok := h.keys[key]
	if !ok {
		return
	}
	h.lines = slices.Delete(h.lines, s.first, s.end)
	delete(h.keys, key)
	h.move(s.end, s.first-s.end)
}

// move notes that the lines from one on have moved.
func (h *head) move(from, by int) {
	for key, s := range h.keys {
		if s.first >= from {
			h.keys[key] = span{s.first + by, s.end + by, s.value}
		}
	}
}

// set gives a key the value of these lines, in its place or at the end. A line that is
// not the first of them is indented.
func (h *head) set(key string, value ...string) {
	lines := make([]string, 0, len(value))
	for i, v := range value {
		if i == 0 {
			v = strings.TrimRight(key+": "+v, " ")
		}
		lines = append(lines, v+"\n")
	}
	at := len(h.lines)
	if s, ok := h.keys[key]; ok {
		at = s.first
		h.remove(key)
	}
	h.lines = slices.Insert(h.lines, at, lines...)
	h.move(at, len(lines))
	h.keys[key] = span{at, at + len(lines), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Join(value, "\n")}}
}

// bytes is the front matter with a body.
func (h *head) bytes(body []byte) []byte {
	if len(h.lines) == 0 {
		return body
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	for _, l := range h.lines {
		b.WriteString(strings.TrimSuffix(l, "\n") + "\n")
	}
	b.WriteString("---\n")
	b.Write(body)
	return b.Bytes()
}

const (
	// maxListedTokens is how many tokens of references a skill lists itself. A longer list is
	// parted: an agent reads a skill as a whole.
	maxListedTokens = 1_500
	// maxLists is how many lists there are at most, leastInList how many references one
	// has unless there are fewer.
	maxLists    = 40
	leastInList = 40
	// listWords is how many words tell a list from the others.
	listWords = 16
)

// listName is the file of a list, from 1.
func listName(n int) string { return fmt.Sprintf("contents-%d.md", n) }

// listNames are names that no text of a skill may have.
func listNames() []string {
	names := []string{contents}
	for n := range maxLists {
		names = append(names, listName(n+1))
	}
	return names
}

// listPath finds the path of a list that an export wrote.
var listPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^references/contents(-[0-9]{1,2})?\.md$`) })

// list is the part of a skill below the guide: its references, or lists of them, each in
// a file, when they are many.
func (s *source) list(pages []*page, guide string, at moved) (part string, lists []File) {
	var b strings.Builder
	for _, p := range pages {
		if !strings.Contains(guide, at[p.path]) {
			b.WriteString(listLine(p, at[p.path], ""))
		}
	}
	if b.Len() == 0 {
		return generatedBegin + "\n" + openAsData + "\n" + generatedEnd + "\n", nil
	}
	head := generatedBegin + "\n## References\n\n" + openAsData + "\n\n"
	if lines := b.String(); token.Estimate(lines) <= maxListedTokens && token.Estimate(guide+head+lines) <= rules.MaxSkillTokens && strings.Count(guide+head+lines, "\n") < rules.MaxSkillLines-10 {
		return head + lines + generatedEnd + "\n", nil
	}
	each := max(leastInList, (len(pages)+maxLists-1)/maxLists)
	var groups [][]*page
	var texts []vocabulary.Text
	for from := 0; from < len(pages); from += each {
		group := pages[from:min(from+each, len(pages))]
		var all strings.Builder
		for _, p := range group {
			all.WriteString(listLine(p, strings.TrimPrefix(at[p.path], references), ""))
		}
		groups, texts = append(groups, group), append(texts, vocabulary.Text{Body: all.String()})
	}
	b.Reset()
	b.WriteString(head + "Lists of the " + fmt.Sprint(len(pages)) + " files of this skill; read the one that fits the task.\n\n")
	for i, words := range vocabulary.Words(texts, listWords) {
		name := listName(i + 1)
		fmt.Fprintf(&b, "- [From %s to %s](%s)", linkText(groups[i][0].title), linkText(groups[i][len(groups[i])-1].title), references+name)
		if len(words) > 0 {
			b.WriteString(": " + strings.Join(words, ", "))
		}
		b.WriteString("\n")
		lists = append(lists, File{Path: references + name, Data: []byte(generatedBegin + "\n# Contents\n\n" + openAsData + "\n\n" + texts[i].Body + generatedEnd + "\n")})
	}
	return b.String() + generatedEnd + "\n", lists
}

// linkText is a title as the text of a link.
func linkText(title string) string { return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(title) }
