package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// client is the other end of a session.
type client struct {
	t     *testing.T
	conn  *conn
	come  chan *message // what the server sent; editors read while they write
	dir   string
	next  int
	done  chan error
	found []diagnosticsParams
}

// start begins a session in a repository with these files.
func start(t *testing.T, files map[string]string) *client {
	t.Helper()
	dir := t.TempDir()
	return startAt(t, dir, dir, files, map[string]any{})
}

// startAt begins a session of a server that runs in one directory, with the files in
// another one.
func startAt(t *testing.T, runs, dir string, files map[string]string, params map[string]any) *client {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(file), 0o777))
		oktest.Check(t, os.WriteFile(file, []byte(text), 0o666))
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, conn: &conn{in: bufio.NewReaderSize(fromServer, maxHeader), out: toServer}, dir: dir, come: make(chan *message, 1<<16), done: make(chan error, 1)}
	w := &repo.Repo{Paths: repo.Paths{Dir: runs}}
	go func() {
		err := Serve(t.Context(), w, "test", in, out)
		out.Close()
		in.Close()
		c.done <- err
	}()
	go func() {
		defer close(c.come)
		for {
			m, err := c.conn.read()
			if err != nil {
				return
			}
			c.come <- m
		}
	}()
	t.Cleanup(func() { toServer.Close(); <-c.done })
	c.call("initialize", params, nil)
	return c
}

func (c *client) uri(name string) string { return uriOf(filepath.Join(c.dir, name)) }

// call sends a request and reads its result; notifications on the way are kept.
func (c *client) call(method string, params, result any) *rpcError {
	c.t.Helper()
	c.next++
	text := oktest.Value(json.Marshal(params))(c.t)
	oktest.Check(c.t, c.conn.write(&message{ID: fmt.Append(nil, c.next), Method: method, Params: text}))
	for {
		m := c.receive()
		if m.ID == nil {
			continue
		}
		if m.Error != nil || result == nil {
			return m.Error
		}
		data, _ := json.Marshal(m.Result)
		if err := json.Unmarshal(data, result); err != nil {
			c.t.Fatalf("%s: %v: %s", method, err, data)
		}
		return nil
	}
}

func (c *client) receive() *message {
	c.t.Helper()
	m, ok := <-c.come
	if !ok {
		c.t.Fatal("the session has ended")
	}
	if m.Method == "textDocument/publishDiagnostics" {
		var p diagnosticsParams
		oktest.Check(c.t, json.Unmarshal(m.Params, &p))
		c.found = append(c.found, p)
	}
	return m
}

// waitFor reads until the findings about a file have one, or have it no more.
func (c *client) waitFor(name, id string, want bool) {
	c.t.Helper()
	for {
		before := len(c.found)
		c.receive()
		for _, p := range c.found[before:] {
			has := false
			for _, d := range p.Diagnostics {
				has = has || d.Code == id
			}
			if p.URI == c.uri(name) && has == want {
				return
			}
		}
	}
}

func (c *client) open(name, text string) {
	c.t.Helper()
	oktest.Check(c.t, c.conn.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": c.uri(name), "version": 1, "text": text}}))
}

// at are the parameters of a request about the place of "|" in a text, which is opened.
func (c *client) at(name, text string) map[string]any {
	before, after, _ := strings.Cut(text, "|")
	c.open(name, before+after)
	line := strings.Count(before, "\n")
	start := strings.LastIndex(before, "\n") + 1
	return map[string]any{"textDocument": map[string]any{"uri": c.uri(name)}, "position": position{line, unitsOf(before[start:])}}
}

func kettle() map[string]string {
	return map[string]string{
		"packs/kettle/KNOWLEDGE.md":        "---\nname: kettle\ndescription: The kettle.\ntype: domain-reference\nprofile: hybrid\nstatus: ready\nmetadata:\n  primaryDocument: documents/kettle.md\n---\n\n# Kettle\n",
		"packs/kettle/documents/kettle.md": "# Kettle\n\n## Daily care\n\n- It holds 1 litre. [source: sources/manual.md#size]\n\nSee [safety](safety.md#hot-water) and [[descaling]].\n",
		"packs/kettle/documents/safety.md": "# Safety\n\n## Hot water\n\nSee [care](kettle.md#daily-care). 😀 [care](kettle.md#daily-care)\n",
		"packs/kettle/wiki/descaling.md":   "# Descaling\n\nUse vinegar. Back to [[kettle#daily-care]].\n",
		"packs/kettle/skills/heat.sh":      "#!/bin/sh\n",
		"packs/kettle/sources/manual.md":   "# Manual\n\n## Size\n\nIt holds 1 litre.\n",
		"packs/kettle/compiled/index.json": `{"schema_version":1,"pack":"kettle","profile":"hybrid","runtime_mode":"data","views":[],"splits":[{"id":"kettle/daily-care","order":1,"title":"Daily care","document":"documents/kettle.md","section_id":"daily-care","path":"compiled/splits/kettle/daily-care.md","token_estimate":12,"sha256":"` + strings.Repeat("0a", 32) + `","source_anchors":[]}],"total_token_estimate":12}`,
	}
}

func labels(list completionList) string {
	var out []string
	for _, item := range list.Items {
		out = append(out, item.Label)
	}
	return strings.Join(out, " ")
}

func TestCompletionOffersWhatFits(t *testing.T) {
	c := start(t, kettle())
	for _, tt := range []struct{ name, file, text, want string }{
		{"a page", "documents/safety.md", "# S\n\n😀 [[desc|\n", "descaling"},
		{"an anchor of a wikilink", "documents/safety.md", "# S\n\n[[kettle#da|\n", "daily-care"},
		{"a relative link", "wiki/descaling.md", "# D\n\n[x](../doc|\n", "../documents/kettle.md ../documents/safety.md"},
		{"an anchor of a link", "documents/safety.md", "# S\n\n[x](kettle.md#|\n", "kettle daily-care"},
		{"a source", "documents/safety.md", "# S\n\n- A. [source: sou|\n", "sources/manual.md"},
		{"an anchor of a source", "documents/safety.md", "# S\n\n- A. [source: sources/manual.md#si|\n", "size"},
		{"a key", "documents/safety.md", "---\nquest|\n---\n# S\n", "questions"},
		{"a value", "documents/safety.md", "---\nstatus: needs|\n---\n# S\n", "needs-review"},
		{"a section of the page", "documents/safety.md", "---\nquestions:\n  hot|\n---\n# S\n\n## Hot water\n", "hot-water"},
		{"a split", "KNOWLEDGE.md", "---\nname: kettle\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: hybrid\nmetadata:\n  loadout:\n    ket|\n---\n# Kettle\n", "kettle kettle/daily-care"},
		{"a page as a value", "KNOWLEDGE.md", "---\nname: kettle\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: hybrid\nmetadata:\n  primaryDocument: kettle|\n---\n# Kettle\n", "documents/kettle.md"},
		{"a pack", "evals/context.yaml", "pack_name: ket|\n", "kettle"},
		{"a section of a page", "evals/context.yaml", "cases:\n  - query: q\n    required: [wiki/descaling.md, documents/kettle.md#da|]\n", "daily-care"},
		{"a page of a list", "evals/context.yaml", "cases:\n  - query: q\n    required:\n      - descaling|\n", "wiki/descaling.md"},
		{"a pack of the repository", "../../packgen.yaml", "documents:\n  - pack: ket|\n", "packs/kettle"},
		{"an entry", "evals/routing.yaml", "tasks:\n  - task: t\n    must:\n      - daily|\n", "kettle-kettle-daily-care"},
		{"an entry with a rank", "evals/routing.yaml", "tasks:\n  - task: t\n    must:\n      - id: kettle|\n", "kettle kettle-kettle-daily-care"},
		{"an entry at the root", "../../evals/routing.yaml", "tasks:\n  - task: t\n    must_not: [kettle-|]\n", "kettle-kettle-daily-care"},
		{"a key of JSON", "evals/discovery.train.json", `{"cases": [{"id": "a: {", "expe|"}]}`, "expected expected_warnings"},
		{"a value of JSON", "evals/discovery.train.json", `{"cases": [{"id": "a", "expected": "re|`, "reject"},
		{"a pack in JSON", "evals/discovery.train.json", `{"pack_name": ket|, "cases": []}`, "kettle"},
		{"a key of a subject", "boot.yml", "subject.heat:\n  br|\n", "briefs"},
		{"no key that boot.yml refuses", "boot.yml", "<|\n", ""},
		{"a brief of a pack", "boot.yml", "always:\n  briefs:\n    say: [safe|]\n", "documents/safety.md"},
		{"a skill", "boot.yml", "always:\n  skills:\n    ref:\n      - heat|\n", "heat.sh"},
		{"nothing in text", "documents/safety.md", "# S\n\nword|\n", ""},
	} {
		var got completionList
		if fault := c.call("textDocument/completion", c.at("packs/kettle/"+tt.file, tt.text), &got); fault != nil || labels(got) != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, labels(got), fault, tt.want)
		}
	}
}

func TestDefinitionFollowsLinksSourcesAndWikilinks(t *testing.T) {
	c := start(t, kettle())
	for _, tt := range []struct {
		text, file string
		line       int
	}{
		{"# S\n\n[c](kett|le.md#daily-care)\n", "documents/kettle.md", 2},
		{"# S\n\n[[desc|aling]]\n", "wiki/descaling.md", 0},
		{"# S\n\n- A. [source: sources/man|ual.md#size]\n", "sources/manual.md", 2},
		{"# S\n\n- A. [source: sources/man|ual.md#L5]\n", "sources/manual.md", 4},
	} {
		var got location
		c.call("textDocument/definition", c.at("packs/kettle/documents/safety.md", tt.text), &got)
		if got.URI != c.uri("packs/kettle/"+tt.file) || got.Range.Start.Line != tt.line {
			t.Errorf("%q: got %+v", tt.text, got)
		}
	}
}

func TestHoverShowsPagesClaimsAndKeys(t *testing.T) {
	c := start(t, kettle())
	for _, tt := range []struct{ text, want string }{
		{"# S\n\n[[desc|aling]]\n", "Use vinegar"},
		{"# S\n\n- It is |hot. [source: sources/manual.md#size]\n", "source `sources/manual.md#size`"},
		{"---\nstat|us: ready\n---\n# S\n", "`status`: "},
	} {
		var got hover
		c.call("textDocument/hover", c.at("packs/kettle/documents/safety.md", tt.text), &got)
		if !strings.Contains(got.Contents.Value, tt.want) {
			t.Errorf("%q: got %q", tt.text, got.Contents.Value)
		}
	}
}

// edited applies the edits of a session to the files it was started with.
func edited(c *client, e workspaceEdit, files map[string]string) map[string]string {
	out := map[string]string{}
	for _, d := range e.DocumentChanges {
		name, _ := fileOf(d.TextDocument.URI)
		rel, err := filepath.Rel(c.dir, name)
		if err != nil || !filepath.IsLocal(rel) {
			c.t.Fatalf("an edit of %s", name)
		}
		text := files[filepath.ToSlash(rel)]
		l := newLines([]byte(text))
		for i := len(d.Edits) - 1; i >= 0; i-- {
			one := d.Edits[i]
			text = text[:l.offset(one.Range.Start)] + one.NewText + text[l.offset(one.Range.End):]
		}
		out[filepath.ToSlash(rel)] = text
	}
	return out
}

func TestRenameOfAHeadingUpdatesLinks(t *testing.T) {
	files := kettle()
	c := start(t, files)
	params := c.at("packs/kettle/documents/kettle.md", strings.Replace(files["packs/kettle/documents/kettle.md"], "Daily", "Dai|ly", 1))
	params["newName"] = "Care, every day"
	var e workspaceEdit
	if fault := c.call("textDocument/rename", params, &e); fault != nil {
		t.Fatal(fault)
	}
	after := edited(c, e, files)
	for name, want := range map[string]string{
		"packs/kettle/documents/kettle.md": "## Care, every day\n",
		"packs/kettle/documents/safety.md": "See [care](kettle.md#care-every-day). 😀 [care](kettle.md#care-every-day)\n",
		"packs/kettle/wiki/descaling.md":   "[[kettle#care-every-day]]",
	} {
		if !strings.Contains(after[name], want) {
			t.Errorf("%s: %q", name, after[name])
		}
	}
	params["newName"] = "a\nb"
	if fault := c.call("textDocument/rename", params, nil); fault == nil {
		t.Error("a heading of two lines is taken")
	}
}

func TestRenameOfAPageUpdatesLinks(t *testing.T) {
	files := kettle()
	c := start(t, files)
	var e workspaceEdit
	c.call("workspace/willRenameFiles", map[string]any{"files": []map[string]string{{"oldUri": c.uri("packs/kettle/documents/kettle.md"), "newUri": c.uri("packs/kettle/documents/use/jug.md")}}}, &e)
	after := edited(c, e, files)
	for name, want := range map[string]string{
		"packs/kettle/documents/kettle.md": "[safety](../safety.md#hot-water)",
		"packs/kettle/documents/safety.md": "[care](use/jug.md#daily-care)",
		"packs/kettle/wiki/descaling.md":   "[[jug#daily-care]]",
	} {
		if !strings.Contains(after[name], want) {
			t.Errorf("%s: %q", name, after[name])
		}
	}
	c.call("workspace/willRenameFiles", map[string]any{"files": []map[string]string{{"oldUri": c.uri("packs/kettle/documents/kettle.md"), "newUri": "file:///etc/x.md"}}}, &e)
	if len(e.DocumentChanges) != 0 {
		t.Errorf("edits for a file that leaves the repository: %+v", e)
	}
}

func TestFindingsComeAsYouTypeAndGo(t *testing.T) {
	c := start(t, kettle())
	name := "packs/kettle/documents/safety.md"
	c.open(name, "# Safety\n\n## Hot water\n\nSee [x](nosuch.md).\n")
	c.waitFor(name, "ref-broken", true)
	oktest.Check(t, c.conn.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": c.uri(name), "version": 2}, "contentChanges": []map[string]any{{"text": "# Safety\n\n## Hot water\n\nSee [x](kettle.md).\n"}}}))
	c.waitFor(name, "ref-broken", false)
}

// Every file that people write is checked while they write it.
func TestEachFileThatPeopleWriteIsChecked(t *testing.T) {
	files := kettle()
	for _, name := range []string{"context.yaml", "routing.yaml", "discovery.train.json"} {
		files["packs/kettle/evals/"+name] = "{}"
	}
	c := start(t, files)
	for _, tt := range []struct{ name, text, id string }{
		{"packgen.yaml", "trsut: []\n", "config-invalid"},
		{"packgen.lock", `{"schema_version":3,"refs":[]}`, "schema-invalid"},
		{"evals/routing.yaml", "cases: []\n", "schema-invalid"},
		{"packs/kettle/boot.yml", "skils: {}\n", "boot-key-unknown"},
		{"packs/kettle/boot.yml", "briefs:\n  say: [documents/nosuch.md]\n", "boot-glob-unmatched"},
		{"roles/tester/boot.yml", "briefs: []\n", "boot-schema-invalid"},
		{"packs/kettle/evals/context.yaml", "cases:\n  - foo: 1\n", "schema-invalid"},
		{"packs/kettle/evals/routing.yaml", "tasks:\n  - foo: 1\n", "schema-invalid"},
		{"packs/kettle/evals/discovery.train.json", `{"pack_name":"kettle","cases":[{"id":"a","prompt":"p","expected":"x"}]}`, "schema-invalid"},
		{"packs/kettle/documents/safety.md", "---\nstatus: redy\n---\n# Safety\n", "metadata-foreign"},
		{"packs/kettle/KNOWLEDGE.md", "---\nname: kettle\n---\n", "metadata-invalid"},
	} {
		c.open(tt.name, tt.text)
		c.waitFor(tt.name, tt.id, true)
	}
}

func TestAnEntryOfGoldensLeadsToItsSection(t *testing.T) {
	c := start(t, kettle())
	var at location
	var about hover
	place := c.at("packs/kettle/evals/routing.yaml", "tasks:\n  - task: t\n    must: [kettle-kettle|-daily-care]\n")
	c.call("textDocument/definition", place, &at)
	c.call("textDocument/hover", place, &about)
	if at.URI != c.uri("packs/kettle/documents/kettle.md") || at.Range.Start.Line != 2 || !strings.Contains(about.Contents.Value, "12 tokens") {
		t.Errorf("%+v, %q", at, about.Contents.Value)
	}
}

func TestActionsFixWhatCheckFixes(t *testing.T) {
	c := start(t, kettle())
	var got []codeAction
	c.call("textDocument/codeAction", c.at("packs/kettle/documents/safety.md", "# Safety\n\n## Hot water|\n\nText.\n\n\n"), &got)
	if len(got) != 1 || got[0].Edit.DocumentChanges[0].Edits[0].NewText != "# Safety\n\n## Hot water\n\nText.\n" {
		t.Errorf("%+v", got)
	}
}

// What a client sends is hostile: the session answers or ends, and never panics.
func TestHostileClientsAreAnsweredOrLeft(t *testing.T) {
	for name, text := range map[string]string{
		"no header":       "garbage\r\n\r\n",
		"no length":       "X: 1\r\n\r\n{}",
		"a huge frame":    "Content-Length: 99999999999\r\n\r\n",
		"a negative one":  "Content-Length: -1\r\n\r\n",
		"an endless line": strings.Repeat("a", 3*maxHeader),
		"cut off":         "Content-Length: 10\r\n\r\n{}",
		"no JSON":         "Content-Length: 3\r\n\r\n{{{",
		"another type":    "Content-Length: 2\r\n\r\n[]",
		"before its time": "Content-Length: 47\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"shutdown"}   `,
	} {
		var out strings.Builder
		_ = Serve(t.Context(), &repo.Repo{Paths: repo.Paths{Dir: t.TempDir()}}, "test", strings.NewReader(text), &out)
		if strings.Contains(text, "\r\n\r\n{") && strings.Contains(name, "J") && !strings.Contains(out.String(), "-32700") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
	c := start(t, kettle())
	for _, method := range []string{"textDocument/hover", "textDocument/rename", "textDocument/completion", "workspace/willRenameFiles", "nosuch"} {
		for _, params := range []any{nil, []int{1}, "x", map[string]any{"textDocument": map[string]any{"uri": "file:///etc/passwd"}}, map[string]any{"textDocument": map[string]any{"uri": "http://x/%zz"}, "position": position{-5, 1 << 40}}} {
			c.call(method, params, nil)
		}
	}
	for i := range 10_000 {
		c.open(fmt.Sprintf("packs/kettle/documents/n%d.md", i), "# N\n")
	}
	var got hover
	c.call("textDocument/hover", c.at("packs/kettle/documents/safety.md", "# S\n\n[[desc|aling]]\n"), &got)
	if !strings.Contains(got.Contents.Value, "vinegar") {
		t.Errorf("after 10,000 files: %+v", got)
	}
}

// Whatever a field of a message holds, the next request is answered.
func TestNoFieldEndsTheSession(t *testing.T) {
	c := start(t, kettle())
	uri := string(quoted(t, c.uri("packs/kettle/documents/safety.md")))
	c.open("packs/kettle/documents/safety.md", "# S\n\n[[desc|aling]]\n")
	values := []string{
		`null`, `true`, `-1`, `1e308`, `9007199254740993`, `{}`, `[]`, `[null]`, `""`, `"\ud800"`, "\"\xff\"", `"\u0000"`, `"\u0007"`, `"file:"`, `"file:///"`, `"file:///\u0007"`, `"file:///%00"`, `"file:///%zz"`,
		`"file:///\udb40\udc41"`, `"file:///` + strings.Repeat("a/", 2100) + `"`, `"` + strings.Repeat("a", 200_000) + `"`, strings.Repeat("[", 9000) + strings.Repeat("]", 9000), strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), uri,
	}
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":VALUE,"method":"textDocument/hover","params":{}}`, `{"jsonrpc":VALUE,"id":7,"method":VALUE}`, `{"id":7,"result":VALUE}`, `{"id":7,"error":VALUE}`, `VALUE`, `[VALUE]`,
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"rootUri":VALUE,"workspaceFolders":[{"uri":VALUE}],"capabilities":VALUE}}`,
		`{"jsonrpc":"2.0","id":7,"method":"workspace/willRenameFiles","params":{"files":[{"oldUri":VALUE,"newUri":VALUE}]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"workspace/willRenameFiles","params":{"files":[{"oldUri":URI,"newUri":VALUE}]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"textDocument/rename","params":{"textDocument":{"uri":URI},"position":{"line":0,"character":2},"newName":VALUE}}`,
		`{"jsonrpc":"2.0","id":7,"method":"textDocument/completion","params":{"textDocument":{"uri":URI},"position":{"line":VALUE,"character":VALUE}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":VALUE,"version":1,"text":"x"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":URI,"version":VALUE,"text":VALUE}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":VALUE,"version":1},"contentChanges":[{"text":VALUE}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":VALUE}}}`, `{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":VALUE}}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":VALUE}]}}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":VALUE}}`,
	} {
		for _, value := range values {
			line := strings.NewReplacer("VALUE", value, "URI", uri).Replace(text)
			if _, err := fmt.Fprintf(c.conn.out, "Content-Length: %d\r\n\r\n%s", len(line), line); err != nil {
				t.Fatalf("%.200s: %v", line, err)
			}
		}
		c.alive()
	}
	if _, err := fmt.Fprintf(c.conn.out, "Content-Length: %d\r\n\r\n%s", maxFrame+1, strings.Repeat(" ", maxFrame+1)); err != nil {
		t.Fatal(err)
	}
	c.alive()
}

func quoted(t *testing.T, text string) []byte {
	t.Helper()
	return oktest.Value(json.Marshal(text))(t)
}

// alive fails when a request is no longer answered. Answers to others come before.
func (c *client) alive() {
	c.t.Helper()
	c.next++
	id := fmt.Sprintf(`"alive-%d"`, c.next)
	oktest.Check(c.t, c.conn.write(&message{ID: json.RawMessage(id), Method: "textDocument/hover", Params: json.RawMessage(`{}`)}))
	for string(c.receive().ID) != id {
	}
}

// A result that JSON cannot hold, and a check that fails, end one request and no session.
func TestFaultsEndOneRequest(t *testing.T) {
	var out strings.Builder
	c := &conn{out: &out}
	if err := c.write(&message{ID: json.RawMessage("7"), Result: math.NaN()}); err != nil || !strings.Contains(out.String(), `"id":7,"error":{"code":-32603`) {
		t.Errorf("%s, %v", out.String(), err)
	}
	s := &session{conn: c, checks: map[string]context.CancelFunc{}}
	s.soon(t.Context(), "pack", func(context.Context) { panic("fault") })
	s.group.Wait()
	if !strings.Contains(out.String(), "packgen failed at pack: fault") {
		t.Error(out.String())
	}
}
