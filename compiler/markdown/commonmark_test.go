package markdown

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/oktest"
)

// goldmarkDir is where the module of goldmark lies, with the cases of CommonMark and
// GFM in it.
func goldmarkDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skip("the module of goldmark is not at hand")
	}
	return dir
}

// plainRenderer shows our own nodes as the text that CommonMark takes them for.
type plainRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (plainRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	for _, kind := range []ast.NodeKind{kindWikiLink, kindMath, kindMathBlock, kindCallout, kindCalloutTitle, kindAttributes, kindFootnoteRef, kindComment, kindCommentBlock, kindBlockID, kindKeys, kindStyled, kindInlineNote, KindAnchor, KindMarker, east.KindFootnote} {
		r.Register(kind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				fmt.Fprintf(w, "[%s]", n.Kind())
			}
			return ast.WalkContinue, nil
		})
	}
}

// asHTML renders a text that our parser read with goldmark's renderer: what is wrong
// then is the tree.
func asHTML(t *testing.T, markdown string) string {
	t.Helper()
	root, _ := parseTree([]byte(markdown), frontmatter.Block{}, false)
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.DefinitionList),
		goldmark.WithRendererOptions(html.WithXHTML(), html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(plainRenderer{}, 100))))
	var out bytes.Buffer
	oktest.Check(t, md.Renderer().Render(&out, []byte(markdown), root))
	return out.String()
}

// differences are the cases of CommonMark that come out otherwise, on purpose.
var differences = map[int]string{
	177: "text after a comment is Markdown",
	226: "spaces before a line end stay in the text, where no browser shows them",
	548: "[[foo]] is a wiki link",
	590: "![[foo]] embeds a page",
	608: "a bare address is a link, as on GitHub",
	611: "a bare address is a link, as on GitHub",
	612: "a bare address is a link, as on GitHub",
	635: "spaces before a line end stay in the text, where no browser shows them",
}

func TestExtensionsAreReadAsTheirCasesSay(t *testing.T) {
	dir := filepath.Join(goldmarkDir(t), "extension", "_test")
	for _, file := range []string{"table.txt", "strikethrough.txt", "tasklist.txt", "linkify.txt", "definition_list.txt"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Skip("the cases of the extensions are not in the module")
		}
		n := 0
		for part := range strings.SplitSeq(string(data), "//= = = = = = = = = = = = = = = = = = = = = = = =//") {
			fields := strings.Split(part, "//- - - - - - - - -//")
			if len(fields) != 3 || strings.Contains(fields[0], "OPTIONS") {
				continue
			}
			n++
			name := file + " " + strings.TrimSpace(strings.SplitN(strings.TrimSpace(fields[0]), "\n", 2)[0])
			// The cases are of HTML as goldmark writes it by itself.
			plain := strings.NewReplacer(" />", ">", "\r\n", "\n")
			markdown, want := strings.TrimPrefix(fields[1], "\n"), strings.TrimSpace(plain.Replace(fields[2]))
			got := strings.TrimSpace(plain.Replace(asHTML(t, markdown)))
			if got != want {
				t.Errorf("%s\n%q\n got %q\nwant %q", name, markdown, got, want)
			}
		}
		if n == 0 {
			t.Errorf("%s has no cases", file)
		}
		t.Logf("%s: %d cases", file, n)
	}
}

func TestCommonMarkIsReadAsItsCasesSay(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(goldmarkDir(t), "_test", "spec.json"))
	if err != nil {
		t.Skip("the cases of CommonMark are not in the module")
	}
	var cases []struct {
		Markdown, HTML, Section string
		Example                 int
	}
	oktest.Check(t, json.Unmarshal(data, &cases))
	if len(cases) < 600 {
		t.Fatalf("only %d cases", len(cases))
	}
	var other []int
	for _, c := range cases {
		got := asHTML(t, c.Markdown)
		if got == c.HTML {
			continue
		}
		other = append(other, c.Example)
		if differences[c.Example] == "" {
			t.Errorf("%d (%s)\n%q\n got %q\nwant %q", c.Example, c.Section, c.Markdown, got, c.HTML)
		}
	}
	for example, why := range differences {
		if !slices.Contains(other, example) {
			t.Errorf("case %d comes out as it should; it is listed as different: %s", example, why)
		}
	}
	t.Logf("%d cases, %d of them different on purpose", len(cases), len(differences))
}

// The manual names each case that comes out otherwise.
func TestTheManualListsTheCasesThatAreDifferent(t *testing.T) {
	manual := oktest.Value(os.ReadFile(filepath.Join("..", "..", "packs", "packgen-manual", "documents", "reference", "site.md")))(t)
	_, list, _ := strings.Cut(string(manual), "cases of CommonMark")
	list, _, _ = strings.Cut(list, "\n")
	var named []int
	for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r < '0' || r > '9' }) {
		n := oktest.Value(strconv.Atoi(word))(t)
		named = append(named, n)
	}
	slices.Sort(named)
	if want := slices.Sorted(maps.Keys(differences)); !slices.Equal(named, want) {
		t.Errorf("the manual names %v, the cases are %v", named, want)
	}
}
