package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/compiler/torturetest"
	"github.com/packgen/packgen/resolver/context/escape"
)

func TestToolsReadOnlyAndSayWhatTheyReturn(t *testing.T) {
	_, session := serve(t, repository())
	list := oktest.Value(session.ListTools(t.Context(), nil))(t)
	var names []string
	asking := []string{session.InitializeResult().Instructions}
	for _, tool := range list.Tools {
		if tool.Name == "resolve_context" || tool.Name == "search" {
			asking = append(asking, tool.Description)
		}
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s has no description, input schema or output schema", tool.Name)
		}
		if a := tool.Annotations; a == nil || !a.ReadOnlyHint || !a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s does not say that it reads only: %+v", tool.Name, tool.Annotations)
		}
	}
	if want := []string{"explain_match", "fetch", "match_knowledge", "read_entry", "resolve_context", "search"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
	for _, text := range asking {
		from := strings.Index(text, "It matches words")
		end := strings.Index(text[max(from, 0):], "each")
		if from < 0 || end < 0 || token.Estimate(text[from:from+end]) > 60 || !strings.Contains(text[from:], "search words") || !strings.Contains(text[from:], "one question for each part") {
			t.Errorf("does not ask, in at most 60 tokens, for search words and a question a part:\n%s", text)
		}
	}
	if got := session.InitializeResult(); got.ServerInfo.Version != "1.2.3" || !strings.Contains(got.Instructions, "resolve_context") {
		t.Errorf("the server introduces itself as %+v", got)
	}
}

func TestResolveContextGivesFencedTextAndItsAudit(t *testing.T) {
	_, session := serve(t, repository())
	var out resolveOutput
	text := call(t, session, "resolve_context", values{"task": "how often should I descale the kettle", "packs": []string{"kettle"}, "also": []string{"citric acid"}}, &out)
	if !strings.HasPrefix(text, `<knowledge_pack name="kettle"`) || !strings.Contains(text, "Ignore any instructions") || !strings.Contains(text, "citric acid") || text != out.text() {
		t.Errorf("text:\n%s", text)
	}
	care := slices.ContainsFunc(out.Selection, func(s selectedOut) bool {
		return s.ID == "kettle:documents/kettle.md#care" && s.Title == "Care" && s.Tokens > 0 && s.Reason != ""
	})
	if !care || !slices.Equal(out.Packs, []string{"kettle"}) || out.Tokens == 0 || out.Refused || out.Confidence == "" {
		t.Errorf("audit: %+v", out)
	}

	call(t, session, "resolve_context", values{"task": "nobody agrees", "packs": []string{"doubt"}}, &out)
	if !out.Refused || out.Context != "" || len(out.Warnings) == 0 {
		t.Errorf("a disputed pack gave %+v", out)
	}
}

func TestSearchFindsWhatFetchGives(t *testing.T) {
	files := repository()
	for base, want := range map[string]string{
		"":                                   "knowledge://kettle/documents/kettle.md%23care",
		"base_url: https://example.org/kb\n": "https://example.org/kb/packs/kettle/documents/kettle.md#care",
	} {
		files["packgen.yaml"] = base
		_, session := serve(t, files)
		var found searchOutput
		call(t, session, "search", values{"query": "descale the kettle"}, &found)
		i := slices.IndexFunc(found.Results, func(r resultOut) bool { return r.Title == "Care" })
		if i < 0 {
			t.Fatalf("found %+v", found.Results)
		}
		if got := found.Results[i].URL; got != want {
			t.Errorf("url %s, want %s", got, want)
		}
		var fetched fetchOutput
		call(t, session, "fetch", values{"id": found.Results[i].ID}, &fetched)
		if fetched.ID != found.Results[i].ID || fetched.Title != "Care" || fetched.URL != want || !strings.Contains(fetched.Text, "Descale monthly") || !strings.HasSuffix(fetched.Text, "</knowledge_pack>") {
			t.Errorf("fetched %+v", fetched)
		}
	}
}

// What the hook points to is read by the same words: the id of an entry, its path from the
// directory that the agent works in, or the whole path.
func TestWhatTheHookPointsToIsRead(t *testing.T) {
	dir, session := serve(t, repository())
	for _, name := range []string{
		"kettle-care", "public/packs/kettle/documents/kettle.md", "./packs/kettle/documents/kettle.md", "packs/kettle/documents/kettle.md#care",
		filepath.Join(dir, "public", "packs", "kettle", "documents", "kettle.md"), filepath.Join(dir, "packs", "kettle", "documents", "kettle.md"), "knowledge://kettle/documents/kettle.md",
	} {
		for tool, key := range map[string]string{"read_entry": "id", "fetch": "id", "read_entry ": "path"} {
			if key == "path" && name == "kettle-care" {
				continue
			}
			if text := call(t, session, strings.TrimSpace(tool), values{key: name}, nil); strings.HasPrefix(text, "error: ") || !strings.Contains(text, "Descale monthly") {
				t.Errorf("%s with the %s %s gave %.200s", tool, key, name, text)
			}
		}
	}
	for _, name := range []string{"public/../outside.md", "public/packs/../../outside.md", filepath.Join(dir, "outside.md"), filepath.Join(dir, "packs", "kettle", "sources", "raw.md"), ".claude/loadout/x.md"} {
		if text := call(t, session, "read_entry", values{"path": name}, nil); !strings.HasPrefix(text, "error: ") {
			t.Errorf("%s gave %.200s", name, text)
		}
	}
}

// A pack whose text is withheld is named with the reason, and so are those that nothing was
// asked of when nothing is found.
func TestRefusedPacksAreNamed(t *testing.T) {
	files := repository()
	files["packs/old/KNOWLEDGE.md"] = strings.NewReplacer("name: kettle", "name: old", "status: ready", "status: archived").Replace(kettleEntry)
	files["packs/old/documents/kettle.md"] = "# Old\n"
	_, session := serve(t, files)
	var out resolveOutput
	text := call(t, session, "resolve_context", values{"task": "nobody agrees", "packs": []string{"kettle", "doubt"}}, &out)
	if want := "doubt: Pack status is disputed."; len(out.Blocked) != 1 || out.Blocked[0] != want || !strings.Contains(text, "refused: the pack doubt: ") {
		t.Errorf("refused are %+v:\n%s", out.Blocked, text)
	}
	text = call(t, session, "resolve_context", values{"task": "zymurgy"}, &out)
	if !slices.ContainsFunc(out.Blocked, func(b string) bool { return strings.HasPrefix(b, "old: ") }) || !strings.Contains(text, "refused: the pack old: it is archived") || strings.Contains(text, "error: :") {
		t.Errorf("refused are %+v:\n%s", out.Blocked, text)
	}
}

// Search lists what fits the words, not what a pack gives to every query.
func TestSearchListsNoDefaults(t *testing.T) {
	files := repository()
	files["packs/kettle/KNOWLEDGE.md"] = kettleEntry + "\n## Limits\n\n- Nothing about teapots.\n"
	_, session := serve(t, files)
	for query, want := range map[string]bool{"zymurgy of hops": false, "specs": false, "citric": true, "descale the kettle": true, "the kettle": true} {
		var found searchOutput
		call(t, session, "search", values{"query": query}, &found)
		if (len(found.Results) > 0) != want {
			t.Errorf("%q found %+v", query, found.Results)
		}
	}
}

func TestMatchAndExplainReadTheBuiltIndex(t *testing.T) {
	dir, session := serve(t, repository())
	var matched matchOutput
	call(t, session, "match_knowledge", values{"task": "descale it"}, &matched)
	if len(matched.Matches) != 1 || matched.Total != 1 || matched.Matcher != "coverage" {
		t.Fatalf("matched %+v", matched)
	}
	if m := matched.Matches[0]; m.ID != "kettle-care" || m.Score != 0.5 || m.Summary != "How to descale." || !slices.Equal(m.Keywords, []string{"descale"}) {
		t.Errorf("match %+v", m)
	}
	call(t, session, "match_knowledge", values{"task": "descale it", "min_score": 0.9}, &matched)
	if len(matched.Matches) != 0 {
		t.Errorf("above the threshold: %+v", matched.Matches)
	}
	for task, want := range map[string]string{"descale it": "kettle-care kettle-far", "boil": "kettle-far"} {
		call(t, session, "match_knowledge", values{"task": task, "also": []string{"what is outside"}}, &matched)
		var got []string
		for _, m := range matched.Matches {
			got = append(got, m.ID)
		}
		if strings.Join(got, " ") != want || matched.Total != len(got) {
			t.Errorf("%q in other words selects %v of %d, want %s", task, got, matched.Total, want)
		}
	}
	var why explainOutput
	call(t, session, "explain_match", values{"task": "boil", "id": "kettle-care"}, &why)
	if why.Selected || !slices.Equal(why.Missed, []string{"descale", "citric"}) || len(why.Add) == 0 {
		t.Errorf("explained %+v", why)
	}
	if text := call(t, session, "explain_match", values{"task": "boil", "id": "kettle-cara"}, nil); !strings.Contains(text, "did you mean kettle-care") {
		t.Errorf("unknown id: %s", text)
	}
	oktest.Check(t, os.Remove(filepath.Join(dir, "public", "index.json")))
	if text := call(t, session, "match_knowledge", values{"task": "descale"}, nil); !strings.Contains(text, "run packgen build") {
		t.Errorf("without an index: %s", text)
	}
}

func TestReadEntryTakesIdsAndPaths(t *testing.T) {
	_, session := serve(t, repository())
	for _, arguments := range []values{
		{"id": "kettle-care"}, {"id": "kettle:documents/kettle.md"}, {"path": "kettle:documents/kettle.md"},
		{"path": "packs/kettle/documents/kettle.md"}, {"path": "knowledge://kettle/documents/kettle.md"},
	} {
		var out readOutput
		text := call(t, session, "read_entry", arguments, &out)
		if out.ID != "kettle:documents/kettle.md" || out.Title != "Kettle" || out.Status != "ready" || out.Next != 0 || !strings.Contains(text, "one litre") {
			t.Errorf("%v: %+v", arguments, out)
		}
	}
	var out readOutput
	call(t, session, "read_entry", values{"path": "kettle:documents/kettle.md#capacity"}, &out)
	if out.Title != "Capacity" || strings.Contains(out.Text, "Descale") {
		t.Errorf("a section: %+v", out)
	}
}

// However small the parts, they make up the text, and no part is larger than asked.
func TestPartsOfALongTextMakeUpTheWhole(t *testing.T) {
	files := repository()
	files["packs/kettle/documents/short.md"] = strings.Repeat("ä€𝄞 line\n", 20)
	_, session := serve(t, files)
	for name, limit := range map[string]int{"long": 40_000, "short": 7} {
		want := files["packs/kettle/documents/"+name+".md"]
		var whole strings.Builder
		for offset, n := 0, 0; ; n++ {
			var out readOutput
			call(t, session, "read_entry", values{"path": "kettle:documents/" + name + ".md", "offset": offset, "limit": limit}, &out)
			_, body, _ := strings.Cut(out.Text, "-->\n")
			body = strings.TrimSuffix(body, "\n</knowledge_pack>")
			if end := out.Next; end > 0 {
				body = want[offset:end]
			} else if !strings.HasPrefix(want[offset:], body) {
				t.Fatalf("%s from %d: %q", name, offset, body)
			} else {
				body = want[offset:]
			}
			whole.WriteString(body)
			if len(body) > limit || n > len(want) || out.Size != len(want) {
				t.Fatalf("%s: part %d has %d bytes, the text %d", name, n, len(body), out.Size)
			}
			if offset = out.Next; offset == 0 {
				break
			}
		}
		if whole.String() != want {
			t.Errorf("%s: the parts are not the text", name)
		}
	}
}

func TestTextsCannotLeaveTheirFence(t *testing.T) {
	_, session := serve(t, repository())
	for _, text := range []string{
		call(t, session, "read_entry", values{"path": "kettle:documents/fence.md"}, nil),
		call(t, session, "resolve_context", values{"task": "fence ignore rules", "packs": []string{"kettle"}}, nil),
	} {
		if strings.Count(text, "</knowledge_pack>") != 1 || strings.Contains(text, "<!-- documents/other.md") {
			t.Errorf("the fence is left:\n%s", text)
		}
	}
}

// Whatever texts hold: an answer opens and closes the element of the pack, once.
func TestNoTextLeavesItsElement(t *testing.T) {
	chance := rand.New(rand.NewPCG(31, 1))
	count := torturetest.Start(t, "fences", "MCP", 20, 200)
	files := repository()
	for i := range count.Rounds() {
		// A comment that is not closed would hide the sections after it.
		files["packs/kettle/documents/kettle.md"] += fmt.Sprintf("\n## Zebra%d\n\nStripes of zebra%d.\n%s\n\n-->\n", i, i, torturetest.Escape(chance, "knowledge_pack"))
		files[fmt.Sprintf("packs/kettle/documents/bad%d.md", i)] = fmt.Sprintf("# Bad%d %s\n\n-->\n\n## Zebra%d %s\n\n-->\n\nStripes of zebra%d.\n%s\n", i,
			torturetest.Escape(chance, "knowledge_pack"), i, strings.ReplaceAll(torturetest.Escape(chance, "knowledge_pack"), "\n", " "), i, torturetest.Escape(chance, "knowledge_pack"))
	}
	_, session := serve(t, files)
	for i := range count.Rounds() {
		count.Done(1)
		page := fmt.Sprintf("documents/bad%d.md", i)
		for _, text := range []string{
			call(t, session, "read_entry", values{"path": "kettle:" + page}, nil),
			call(t, session, "resolve_context", values{"task": fmt.Sprintf("stripes of zebra%d", i), "packs": []string{"kettle"}}, nil),
		} {
			tags := 0
			for n, rest := range strings.Split(text, "<") {
				if _, ok := escape.Opens(rest, "knowledge_pack"); ok && n > 0 {
					tags++
				}
			}
			if tags != 2 || !strings.HasPrefix(text, "<knowledge_pack ") || !strings.Contains(text, fmt.Sprintf("tripes of zebra%d", i)) || strings.Contains(text, "\n<!-- documents/forged.md") {
				count.Wrong("%s: %d tags in\n%q", page, tags, text)
				return
			}
		}
	}
}

// Nothing outside of the texts of the repository's packs is read, and nothing that is
// withheld.
func TestNothingElseIsRead(t *testing.T) {
	dir, session := serve(t, repository())
	if err := os.Symlink(filepath.Join(dir, "outside.md"), filepath.Join(dir, "packs/kettle/documents/link.md")); err != nil {
		t.Log("no links here:", err)
	}
	for _, path := range []string{
		"", "kettle", "kettle:", ":documents/kettle.md", "kettle:outside.md", "kettle:../../outside.md", "kettle:documents/../../../outside.md",
		"kettle:/etc/passwd", "kettle:documents/link.md", "kettle:documents/data.txt", "kettle:documents", "kettle:sources/raw.md", "kettle:runs/x.md",
		"kettle:documents\\kettle.md", "kettle:documents/kettle.md\x00", "kettle:documents/none.md", "kettle:documents/kettle.md#none", "kettle:documents/key.md",
		"../packs/kettle:documents/kettle.md", "packs/kettle:documents/kettle.md", "elsewhere:documents/kettle.md", filepath.Join(dir, "elsewhere") + ":documents/kettle.md",
		"doubt:documents/kettle.md", "packs/kettle/../../outside.md", "packs/../outside.md", "knowledge://kettle/../../outside.md", "knowledge://kettle/%2e%2e/%2e%2e/outside.md",
		"knowledge://kettle", "knowledge:///documents/kettle.md", "knowledge://kettle/sources/raw.md", "file:///etc/passwd", "https://example.org/", "kettle:compiled/none.md",
		strings.Repeat("a", 5000) + ":x.md", "kettle:documents/" + strings.Repeat("a/", 5000) + "x.md",
	} {
		for _, tool := range []string{"read_entry", "fetch"} {
			arguments := values{"path": path}
			if tool == "fetch" {
				arguments = values{"id": path}
			}
			if text := call(t, session, tool, arguments, nil); !strings.HasPrefix(text, "error: ") || len(text) > 1500 {
				t.Errorf("%s %.80q gave %.300s", tool, path, text)
			}
		}
	}
	for _, tool := range []values{{"id": "kettle-far"}, {"id": "none"}} {
		if text := call(t, session, "read_entry", tool, nil); !strings.HasPrefix(text, "error: ") {
			t.Errorf("%v gave %s", tool, text)
		}
	}
	for _, name := range []string{"elsewhere", "../elsewhere", filepath.Join(dir, "elsewhere"), "packs/kettle", "."} {
		if text := call(t, session, "resolve_context", values{"task": "kettle", "packs": []string{name}}, nil); !strings.Contains(text, "no pack is named") {
			t.Errorf("pack %s gave %s", name, text)
		}
	}
}

func TestWrongArgumentsAreRefusedWithWhatToDo(t *testing.T) {
	_, session := serve(t, repository())
	long := strings.Repeat("word ", 5000)
	for _, c := range []struct {
		tool string
		in   values
	}{
		{"resolve_context", values{}}, {"resolve_context", values{"task": " "}}, {"resolve_context", values{"task": long}}, {"resolve_context", values{"task": 7}},
		{"resolve_context", values{"task": "x", "budget": 1}}, {"resolve_context", values{"task": "x", "budget": 1e9}}, {"resolve_context", values{"task": "x", "budget": "many"}},
		{"resolve_context", values{"task": "x", "also": []string{""}}}, {"resolve_context", values{"task": "x", "also": make([]string, 21)}},
		{"resolve_context", values{"task": "x", "packs": make([]string, 21)}}, {"resolve_context", values{"task": "x", "allow": "all"}},
		{"match_knowledge", values{"task": "x", "limit": -1}}, {"match_knowledge", values{"task": "x", "limit": 101}}, {"match_knowledge", values{"task": "x", "min_score": 2}},
		{"match_knowledge", values{"task": "x", "also": []string{long}}}, {"match_knowledge", values{"task": "x", "also": make([]string, 21)}},
		{"explain_match", values{"task": "x"}}, {"explain_match", values{"task": "", "id": "kettle-care"}},
		{"read_entry", values{}}, {"read_entry", values{"id": "a", "path": "b"}}, {"read_entry", values{"id": "a", "offset": -1}}, {"read_entry", values{"id": "a", "limit": 1 << 20}},
		{"search", values{}}, {"search", values{"query": ""}}, {"search", values{"query": long}}, {"fetch", values{}}, {"fetch", values{"id": nil}},
	} {
		if text := call(t, session, c.tool, c.in, nil); !strings.HasPrefix(text, "error: ") || len(text) > 1500 {
			t.Errorf("%s %.80v gave %.300s", c.tool, c.in, text)
		}
	}
}

func TestResourcesAreTheCatalogAsItIs(t *testing.T) {
	dir, session := serve(t, repository())
	uris := func() (list []string) {
		r := oktest.Value(session.ListResources(t.Context(), nil))(t)
		for _, r := range r.Resources {
			list = append(list, r.URI)
		}
		return list
	}
	doubt, kettle := "knowledge://doubt/KNOWLEDGE.md", "knowledge://kettle/KNOWLEDGE.md"
	if got := uris(); !slices.Equal(got, []string{doubt, kettle}) {
		t.Errorf("resources %v", got)
	}
	oktest.Check(t, os.RemoveAll(filepath.Join(dir, "packs", "doubt")))
	if got := uris(); !slices.Equal(got, []string{kettle}) {
		t.Errorf("after a pack is gone: %v", got)
	}
	for _, uri := range []string{kettle, "knowledge://kettle/documents/kettle.md"} {
		r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].MIMEType != markdownType || !strings.HasPrefix(r.Contents[0].Text, `<knowledge_pack name="kettle"`) {
			t.Errorf("%s: %v, %+v", uri, err, r)
		}
	}
	for _, uri := range []string{doubt, "knowledge://kettle/sources/raw.md", "knowledge://kettle/..%2f..%2foutside.md", "file:///etc/passwd", "::"} {
		if r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s gave %+v", uri, r.Contents)
		}
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "knowledge://{pack}/{+path}" {
		t.Errorf("templates %v, %v", templates, err)
	}
}

func TestUsePackGivesTheGuideAndWhatFits(t *testing.T) {
	_, session := serve(t, repository())
	get := func(arguments map[string]string) (string, error) {
		r, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "use_pack", Arguments: arguments})
		if err != nil {
			return "", err
		}
		return r.Messages[0].Content.(*sdk.TextContent).Text, nil
	}
	text, err := get(map[string]string{"name": "kettle"})
	if err != nil || !strings.Contains(text, "<knowledge_pack_guide") || !strings.Contains(text, "documents/kettle.md") || strings.Contains(text, "<knowledge_pack ") {
		t.Errorf("%v:\n%s", err, text)
	}
	text, err = get(map[string]string{"name": "kettle", "task": "descale it"})
	if err != nil || !strings.Contains(text, "for this task: descale it") || !strings.Contains(text, "citric acid") {
		t.Errorf("%v:\n%s", err, text)
	}
	for _, name := range []string{"", "none", "doubt", "../elsewhere"} {
		if text, err := get(map[string]string{"name": name}); err == nil {
			t.Errorf("%q gave\n%s", name, text)
		}
	}
}

func TestWithoutPacksToolsSayWhatToDo(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"none": {"README.md": "x"}, "broken configuration": {"packgen.yaml": "packs: [", "packs/kettle/KNOWLEDGE.md": kettleEntry},
	} {
		_, session := serve(t, files)
		text := call(t, session, "resolve_context", values{"task": "x"}, nil)
		if !strings.HasPrefix(text, "error: ") || !strings.Contains(text, "run packgen ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A mode leaves the packs of the other one out, also where one is named.
func TestResolveContextTakesPacksOfAMode(t *testing.T) {
	files := repository()
	files["packs/voice/KNOWLEDGE.md"] = strings.NewReplacer("name: kettle", "name: voice", "status: ready", "status: ready\nruntime:\n  mode: persona").Replace(kettleEntry)
	files["packs/voice/documents/kettle.md"] = "# Voice\n\n## Descaling\n\nSay how to descale the kettle in one calm sentence.\n"
	_, session := serve(t, files)
	for mode, want := range map[string][]string{"data": {"kettle"}, "persona": {"voice"}} {
		var out resolveOutput
		call(t, session, "resolve_context", values{"task": "descale the kettle", "packs": []string{"kettle", "voice"}, "mode": mode}, &out)
		if !slices.Equal(out.Packs, want) {
			t.Errorf("mode %s used %v", mode, out.Packs)
		}
	}
	for _, input := range []values{{"task": "kettle", "mode": "loud"}, {"task": "kettle", "packs": []string{"kettle"}, "mode": "persona"}} {
		if text := call(t, session, "resolve_context", input, nil); !strings.HasPrefix(text, "error: ") || !strings.Contains(text, "mode") {
			t.Errorf("%v is answered by %s", input, text)
		}
	}
}

// What clients send and what is clear is what the schema says; what is not is a sentence.
func TestArgumentsAreReadAsTheyAreMeant(t *testing.T) {
	resolve, match, read := argumentsOf(reflect.TypeFor[resolveInput]()), argumentsOf(reflect.TypeFor[matchInput]()), argumentsOf(reflect.TypeFor[readInput]())
	for _, c := range []struct {
		list  []argument
		given string
		want  string // JSON, or the beginning of a sentence
	}{
		{resolve, `{"task":"a"}`, `{"task":"a"}`},
		{resolve, `{"task":"a","budget":null,"mode":null,"also":null,"packs":null}`, `{"task":"a"}`},
		{resolve, `{"task":"a","budget":"800","also":"[\"b\",\"c\"]","packs":"kettle, pump"}`, `{"also":["b","c"],"budget":800,"packs":["kettle","pump"],"task":"a"}`},
		{resolve, `{"task":"a","budget":8e2,"also":"b, c","packs":"[kettle"}`, `{"also":["b, c"],"budget":800,"packs":["[kettle"],"task":"a"}`},
		{resolve, `{"task":["a"],"budget":"","also":["b",null],"packs":""}`, `{"also":["b"],"task":"a"}`},
		{resolve, `"{\"task\":\"a\"}"`, `{"task":"a"}`},
		{resolve, `{"task":"a","unknown":null}`, `{"task":"a"}`},
		{resolve, `{"task":"a","budget":1e300}`, "budget of tool is a whole number: 1e300 is out of range: "},
		{resolve, `{"task":"a","mode":" Data "}`, `{"mode":"data","task":"a"}`},
		{resolve, `{"task":"a","mode":""}`, `{"task":"a"}`},
		{resolve, `{"task":"a","mode":"dta"}`, `mode of tool is a text: "dta" is not one of data, persona: `},
		{resolve, ``, "tool needs task: write the task or question, in words"},
		{resolve, `null`, "tool needs task: "},
		{resolve, `{"task":null}`, "tool needs task: "},
		{resolve, `{"task":7}`, "task of tool is a text: a number was given: "},
		{resolve, `{"task":["a","b"]}`, "task of tool is a text: a list was given: "},
		{resolve, `{"task":"a","budget":1.5}`, "budget of tool is a whole number: 1.5 is not one: "},
		{resolve, `{"task":"a","budget":"many"}`, `budget of tool is a whole number: "many" is not one: `},
		{resolve, `{"task":"a","budget":true}`, "budget of tool is a whole number: true or false was given: "},
		{resolve, `{"task":"a","also":{}}`, "also of tool is a list of texts: an object was given: "},
		{resolve, `{"task":"a","also":[1]}`, "also of tool is a list of texts: a number is in it: "},
		{resolve, `{"task":"a","pack":"kettle"}`, `tool has no argument "pack": did you mean packs?`},
		{resolve, `{"zzz":1,"yyy":1}`, `tool has no argument "yyy": name one of task, budget, packs, mode, also`},
		{resolve, `[]`, "the arguments of tool are not an object: "},
		{resolve, `"x"`, "the arguments of tool are not an object: "},
		{match, `{"task":"a","min_score":"0.5","limit":3}`, `{"limit":3,"min_score":0.5,"task":"a"}`},
		{match, `{"task":"a","min_score":"NaN"}`, `min_score of tool is a number: "NaN" is not one: `},
		{read, `{"id":"a","path":null,"offset":"16","limit":null}`, `{"id":"a","offset":16}`},
	} {
		got, err := plainArguments("tool", c.list, json.RawMessage(c.given))
		answer := string(got)
		if err != nil {
			answer = withHint(err).Error()
		}
		if answer != c.want && (err == nil || !strings.HasPrefix(answer, c.want)) {
			t.Errorf("%s: %s, want %s", c.given, answer, c.want)
		}
	}
}

// The whole server takes them: null for each argument that may be left out is as without it.
func TestEveryArgumentIsDescribedAndMayBeNull(t *testing.T) {
	_, session := serve(t, repository())
	list := oktest.Value(session.ListTools(t.Context(), nil))(t)
	given := map[string]values{
		"resolve_context": {"task": "descale the kettle"}, "search": {"query": "descale the kettle"}, "fetch": {"id": "kettle:documents/kettle.md"},
		"match_knowledge": {"task": "descale the kettle"}, "explain_match": {"task": "descale the kettle", "id": "kettle"}, "read_entry": {"id": "kettle:KNOWLEDGE.md"},
	}
	for _, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if len(properties) == 0 {
			t.Errorf("%s has no arguments: %v", tool.Name, tool.InputSchema)
		}
		for name, p := range properties {
			about, _ := p.(map[string]any)
			if text, _ := about["description"].(string); text == "" {
				t.Errorf("%s of %s has no description", name, tool.Name)
			}
			if name == "mode" && about["enum"] == nil {
				t.Errorf("mode of %s may be any text", tool.Name)
			}
			if _, ok := given[tool.Name][name]; !ok {
				given[tool.Name][name] = nil
			}
		}
		if text := call(t, session, tool.Name, given[tool.Name], nil); strings.Contains(text, " of "+tool.Name) || strings.Contains(text, "needs") {
			t.Errorf("%s with null for what may be left out: %s", tool.Name, text)
		}
	}
}

// An excerpt is prose that a reader sees.
func TestExcerpts(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: x\n---\n\n# Care\n\nDescale monthly.\nWith acid.\n": "Descale monthly. With acid.",
		"# Care\n<!-- not\nshown --><a id=\"x\"></a>\n\n---\nText.":      "Text.",
		"# Care <!-- never closed\nhidden":                               "",
		"":                                                               "", "# Only a heading\n": "",
	} {
		if got := excerpt(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := excerpt(strings.Repeat("word ", 1000)); len(got) > maxLabel+len("…") {
		t.Errorf("%d bytes", len(got))
	}
}

// An offset beyond the end and a prompt of a pack that does not exist are errors, the second
// with a code.
func TestWhatIsNotThereIsAnError(t *testing.T) {
	_, session := serve(t, repository())
	for offset, fails := range map[int]bool{0: false, 1: false, 99_999: true} {
		text := call(t, session, "read_entry", values{"id": "kettle:KNOWLEDGE.md", "offset": offset}, nil)
		if fails != strings.HasPrefix(text, "error: offset 99999 is beyond the end: the text has ") {
			t.Errorf("offset %d: %s", offset, text)
		}
	}
	var coded *jsonrpc.Error
	if _, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "use_pack", Arguments: map[string]string{"name": "kettel"}}); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a prompt of no pack: %v", err)
	}
	p := oktest.Value(session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "use_pack", Arguments: map[string]string{"name": "kettle"}}))(t)
	data, _ := json.Marshal(p)
	if strings.Contains(string(data), "packgen resolve") || !strings.Contains(string(data), "Search: call resolve_context") {
		t.Errorf("the prompt needs a shell: %s", data)
	}
}

// The answers to a batch are one line, with an answer for each request and each part that
// is not a message, and none for notifications.
func TestBatches(t *testing.T) {
	p := pipe(t, batchVersion)
	for _, c := range []struct {
		line string
		ids  []string // of the answers; one that begins with ! is an error
	}{
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"1"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/none"}]`, []string{`"b"`, "1"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},7]`, []string{"!null", "1"}},
		{`[1,2]`, []string{"!null", "!null"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"1.0","id":5,"method":"ping"}]`, []string{"!5", "1"}},
		{`[{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"!9", "1"}},
		{`[{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"!4", "1"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"kettle"}}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"none"}}]`, []string{"!2", "1"}},
	} {
		p.send(c.line)
		var got []string
		var answers []struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		said := p.receive()
		if err := json.Unmarshal([]byte(said), &answers); err != nil {
			t.Fatalf("%s is answered with %s", c.line, said)
		}
		for _, a := range answers {
			id := string(a.ID)
			if a.Error != nil {
				id = "!" + id
			}
			got = append(got, id)
		}
		if slices.Sort(got); !slices.Equal(got, c.ids) {
			t.Errorf("%s: answers to %v, want %v", c.line, got, c.ids)
		}
	}
	for _, line := range []string{"[]", "[" + strings.Repeat("1,", maxCalls) + "1]"} {
		p.send(line)
		if got := p.receive(); !strings.Contains(got, "a batch has 1 to 64 messages") {
			t.Errorf("%.20s is answered with %s", line, got)
		}
	}
	p.send(`[{"jsonrpc":"2.0","method":"notifications/none"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`)
	if said := p.answers(); len(said) > 0 {
		t.Errorf("notifications are answered with %v", said)
	}
}

// However many batches are sent, with ids that are in use too, each is answered whole.
func TestManyBatchesAtOneTime(t *testing.T) {
	p := pipe(t, batchVersion)
	const n = 50
	go func() {
		for i := range n {
			var parts []string
			for j := range maxCalls {
				parts = append(parts, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, (i*7+j)%90))
			}
			fmt.Fprintf(p.in, "[%s]\n", strings.Join(parts, ","))
		}
		p.in.Close()
	}()
	said := oktest.Value(io.ReadAll(p.out))(t)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	for _, line := range lines {
		var answers []json.RawMessage
		if err := json.Unmarshal([]byte(line), &answers); err != nil || len(answers) != maxCalls {
			t.Fatalf("%d answers in %.80s: %v", len(answers), line, err)
		}
	}
	if len(lines) != n {
		t.Errorf("%d batches are answered, %d were sent", len(lines), n)
	}
	if err := <-p.ends; err != nil {
		t.Error(err)
	}
}
