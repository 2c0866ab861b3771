package packpath

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestThePathsOfAPublishedPackAreAClosedList(t *testing.T) {
	for _, path := range []string{
		"KNOWLEDGE.md", "boot.yml", "LICENSE", "LICENSE.txt", "licence.md", "NOTICE", "readme.md", "README.txt", "CHANGELOG.md", "COPYING",
		"documents/a.md", "documents/a b/日本.md", "wiki/agents.md", "wiki/entities/claude.md", "sources/mail.eml", "sources/deep/er/x.bin",
		"ontology/concepts.json", "answers/questions.json", "compiled/index.json", "compiled/splits/a/b.md", "indexes/source-map.json",
		"indexes/vector/x.bin", "runs/compile-2026-01-01T00-00-00Z.json", "schemas/claim.schema.json", "evals/files/x", "assets/logo.png",
		"skills/make.sh", "skills/look/SKILL.md", "briefs/tone.md", "documents/head/neck.md", "documents/HEAD.md", "documents/a..b", "documents/console.md",
		"documents/com10.md", "documents/a~1.md", "documents/widget~1.md", "documents/نیم\u200cفاصله.md", "assets/👩\u200d🚀.png", "documents/'x' & y.md",
		"documents/CLAUDE.md/a.md", "documents/Agents.md",
	} {
		if err := CheckPublished(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, tt := range []struct {
		want  error
		paths []string
	}{
		{ErrLayout, []string{
			"CLAUDE.md", "AGENTS.md", "GEMINI.md", "Makefile", "package.json", "HEAD", "config", "a.md", "knowledge.md", "Boot.yml", "boot.yaml",
			"pack.json", "pack.tar.gz", "LICENSE.md.sh", "LiCENSE", "lICENSE.md", "LICENSE.MD", "LICENSE.sh", "LICENSEX", "README.html", "documents", "hooks/pre-commit", "scripts/run.sh", "Documents/a.md",
			"objects/x", "refs/x", "raw/a.md", "src/a.go", "mise.toml", "opencode.json", "x/CLAUDE.md",
		}},
		{errName, []string{
			".git/config", ".git/HEAD", ".claude/settings.json", ".mcp.json", ".envrc", ".cursor/rules/a.mdc", ".vscode/tasks.json", ".gitattributes",
			"documents/.git/config", "documents/.envrc", "documents/a/.b/c.md", "documents/..a", "documents/...", ".GIT/config", "docu\u200cments/a.md", ".g\u200cit/config",
			"\u200c.git/config", "\ufeff.envrc", "documents/\u200e.claude/settings.json",
			"git~1/config", "GIT~1/config", "documents/git~1/HEAD", "Git~23/x", "g\u200dit~2/x",
			"documents/con", "documents/NUL.md", "documents/aux.tar.md", "documents/Prn .md", "com1/a.md", "documents/lpt9.md", "documents/COM².md", "assets/CONOUT$",
			"documents/a.", "documents/a ", "documents/a./b.md", "documents/ ",
			"documents/a*b.md", "documents/a?.md", "documents/a<b.md", "documents/a>b.md", `documents/a"b.md`, "documents/a|b.md", "documents/a:b.md", "documents/a.txt:x",
			"documents/a\u202edm.exe", "documents/te\u200ba.md", "documents/tea\U000E0041.md", "documents/te\u200da/x.md",
			"documents/CLAUDE.md", "wiki/x/AGENTS.md", "assets/GEMINI.md", "documents/CLAUDE.local.md", "documents/CLAU\u200dDE.md", "sources/AGENTS.override.md",
			"documents/HEAD", "assets/repository/head", "documents/opencode.json", "documents/Crush.json", "wiki/mise.toml", "documents/OPENCODE.JSONC",
		}},
		{ErrEscape, []string{"../documents/a.md", "documents/../../a.md", "/documents/a.md", `documents\a.md`, "C:/documents/a.md", "documents/a\nb.md"}},
		{ErrUnclean, []string{"", "documents//a.md", "documents/./a.md", "./documents/a.md", "documents/", "documents/a\xff"}},
	} {
		for _, path := range tt.paths {
			if err := CheckPublished(path); !errors.Is(err, tt.want) {
				t.Errorf("%q: %v, want %v", path, err, tt.want)
			}
		}
	}
}

// layoutPattern is a regular expression for what CheckPublished takes by its place;
// it says nothing of the names.
func layoutPattern() string {
	var stems []string
	for _, s := range notices {
		stems = append(stems, s, strings.ToUpper(s[:1])+s[1:], strings.ToUpper(s))
	}
	return `^(?:` + strings.ReplaceAll(strings.Join(rootFiles, "|"), ".", `\.`) +
		`|(?:` + strings.Join(stems, "|") + `)(?:\.md|\.txt)?` +
		`|(?:` + strings.Join(folders, "|") + `)/.+)$`
}

// What an editor learns about the paths of a pack.json is what its reader takes.
func TestTheSchemaOfPackManifestsKnowsTheLayout(t *testing.T) {
	var s struct {
		Properties struct {
			Files struct {
				Items struct {
					Properties struct {
						Path struct{ Pattern string }
					}
				}
			}
		}
	}
	data, err := os.ReadFile("../schema/json/pack-manifest.json")
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	oktest.Check(t, err)
	if got, want := s.Properties.Files.Items.Properties.Path.Pattern, layoutPattern(); got != want {
		t.Errorf("the schema has %s\nwant %s", got, want)
	}
}

// The pattern for schemas and the rule say the same of places.
func TestTheLayoutPatternFollowsTheLists(t *testing.T) {
	pattern := regexp.MustCompile(layoutPattern())
	for _, path := range []string{
		"KNOWLEDGE.md", "boot.yml", "bootxyml", "LICENSE", "license.txt", "Readme.md", "ReadMe.md", "README.sh", "CLAUDE.md", "documents/a/b.md", "documents",
		"xdocuments/a", "compiled/index.json", ".git/config", "hooks/x", "KNOWLEDGE.md/x",
	} {
		err := CheckPublished(path)
		if got, want := pattern.MatchString(path), err == nil; got != want {
			t.Errorf("%q: the pattern says %v, the rule %v", path, got, err)
		}
	}
}

// A site may hold names with a dot; git's own folder no archive may hold.
func TestNamesThatAreTheSameOnEverySystem(t *testing.T) {
	for _, name := range []string{"a", ".nojekyll", ".well-known", "..a", "a.b", "~", "-rf", "com", "COM10", "nul-set.md", "git~", "git~x", "git~1.md", "gits~1"} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{".git", ".Git", ".gi\u200ct", "git~1", "GIT~12", "a*", "a?", `a"`, "a|", "a<", "a>", "a:", `a\`, "a.", "a ", "Con", "aux.md"} {
		if err := CheckName(name); !errors.Is(err, errName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestObeyedNamesAreRefused(t *testing.T) {
	if len(Obeyed()) == 0 {
		t.Fatal("none")
	}
	for _, name := range Obeyed() {
		for _, spelled := range []string{name, name + " ", name + ".", name + ". \u3000", "\u00a0" + name, name[:3] + "\u200b" + name[3:], "\u00ad" + name, name + "\ufe0f", "\u034f" + name, name + "\U000E0041"} {
			if err := CheckPublished("documents/" + spelled); !errors.Is(err, errName) {
				t.Errorf("%+q: %v", spelled, err)
			}
			if err := CheckFile(spelled); !errors.Is(err, errName) || !IsObeyed(spelled) {
				t.Errorf("%+q is read as another name: %v", spelled, err)
			}
		}
	}
}
