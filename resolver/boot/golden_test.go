package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// goldenCase is one row of the cases that the format comes with (boot.yml
// section 14).
type goldenCase struct {
	Name    string  `json:"name"`
	Basis   string  `json:"basis"`
	BootYml *string `json:"bootYml"`
	Tree    struct {
		Briefs []string `json:"briefs"`
		Skills []string `json:"skills"`
	} `json:"tree"`
	Usecase  []string `json:"usecase"`
	Expected struct {
		Sections []Section `json:"sections"`
		Error    string    `json:"error"`
	} `json:"expected"`
}

// fsys builds the role of a case; every file holds its own path.
func (c *goldenCase) fsys() fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, p := range c.Tree.Briefs {
		fsys["briefs/"+p] = &fstest.MapFile{Data: []byte("brief " + p + "\n")}
	}
	for _, p := range c.Tree.Skills {
		fsys["skills/"+p] = &fstest.MapFile{Data: []byte("skill " + p + "\n")}
	}
	if c.BootYml != nil {
		fsys["boot.yml"] = &fstest.MapFile{Data: []byte(*c.BootYml)}
	}
	return fsys
}

// content returns what a said item holds after its type: the path below its
// folder, of the minified twin where there is one.
func (c *goldenCase) content(path string) string {
	folder, below, _ := strings.Cut(path, "/")
	if folder == "briefs" && slices.Contains(c.Tree.Briefs, below+".min") {
		return below + ".min"
	}
	return below
}

func (c *goldenCase) options() Options {
	if c.Usecase == nil {
		return Options{}
	}
	return Options{Usecases: c.Usecase}
}

// loadGolden reads the cases, from PACKGEN_GOLDEN_DIR where that is set and has
// them.
func loadGolden(t testing.TB) []goldenCase {
	t.Helper()
	file := filepath.Join("..", "..", "testdata", "golden", "boot", "cases.json")
	if dir := os.Getenv("PACKGEN_GOLDEN_DIR"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "boot")); err == nil {
			file = filepath.Join(dir, "boot", "cases.json")
		}
	}
	data := oktest.Value(os.ReadFile(file))(t)
	var cases []goldenCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatalf("decode %s: %v", file, err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s holds no cases", file)
	}
	return cases
}

func TestGoldenCases(t *testing.T) {
	cases := loadGolden(t)
	for i := range cases {
		c := &cases[i]
		t.Run(c.Name, func(t *testing.T) {
			role := oktest.Value(OpenFS(c.fsys(), OpenOptions{Name: "roles/r"}))(t)
			res := oktest.Value(role.Boot(context.Background(), c.options()))(t)
			var out strings.Builder
			renderErr := res.Render(&out)
			if c.Expected.Error != "" {
				if renderErr == nil || out.Len() > 0 {
					t.Errorf("Render of a refused boot: error %v, output %q", renderErr, out.String())
				}
				if !hasError(res.Diagnostics, c.Expected.Error) {
					t.Errorf("no error says %q: %v", c.Expected.Error, res.Diagnostics)
				}
				return
			}
			if renderErr != nil {
				t.Fatalf("Render: %v: %v", renderErr, res.Diagnostics)
			}
			if diff := cmp.Diff(shape(c.Expected.Sections), shape(res.Sections)); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			if got, want := out.String(), textForm(c.Expected.Sections, c.content); got != want {
				t.Errorf("text form:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	t.Logf("ran %d cases", len(cases))
}

func hasError(list []diag.Diagnostic, text string) bool {
	for _, d := range list {
		if d.Severity == diag.Error && strings.Contains(d.Message, text) {
			return true
		}
	}
	return false
}

// shape writes sections as lines, without token counts.
func shape(sections []Section) []string {
	var lines []string
	for _, s := range sections {
		lines = append(lines, s.Kind)
		for _, i := range s.Items {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("  %s %s %s", i.Type, i.Path, i.Of), " "))
		}
	}
	return lines
}

// textForm is the text form of a golden role, written as plainly as the format's
// own example: elements first, then blank lines between them.
func textForm(sections []Section, content func(path string) string) string {
	var elements []string
	run := false
	for _, s := range sections {
		if s.Kind == "also" {
			var b strings.Builder
			for _, i := range s.Items {
				fmt.Fprintf(&b, "  <ref path=\"roles/r/%s\"/>\n", i.Path)
			}
			elements = append(elements, "<also>\n"+b.String()+"</also>\n")
			run = false
			continue
		}
		for _, i := range s.Items {
			if i.Type == TypeBrief || i.Type == TypeSkill {
				elements = append(elements, fmt.Sprintf("<%s path=\"roles/r/%s\">\n%s %s\n</%s>\n", i.Type, i.Path, i.Type, content(i.Path), i.Type))
				run = false
				continue
			}
			line := fmt.Sprintf("<ref path=\"roles/r/%s\"/>", i.Path)
			if i.Type == TypeMention {
				line += " (as mentioned earlier in " + i.Of + ")"
			}
			if run {
				elements[len(elements)-1] += line + "\n"
			} else {
				elements = append(elements, line+"\n")
			}
			run = true
		}
	}
	return strings.Join(elements, "\n")
}

// sorted returns a sorted copy.
func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
