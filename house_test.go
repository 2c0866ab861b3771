// Package packgen_test holds what is true of the whole house: which rooms there
// are and who may import whom.
package packgen_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

const module = "github.com/packgen/packgen/"

// rooms says for each folder which folders of ours it may import. A folder
// stands for itself and what lies below it; the longest name that fits counts.
var rooms = map[string][]string{
	"cmd/packgen":      {"compiler", "resolver", "site", "templates", "assets"},
	"cmd/packgen-hook": {"resolver/agent/hook"},
	"cmd/packgen-sign": {"compiler", "resolver/remote/signature"},
	"cmd/packgentest":  {"compiler/regularfile"},

	"compiler":                   {"compiler"},
	"compiler/amount":            {},
	"compiler/archive":           {"compiler/atomicfile", "compiler/bytesize", "compiler/diag", "compiler/pack", "compiler/packpath", "compiler/publish", "compiler/schema", "compiler/regularfile"},
	"compiler/atomicfile":        {"compiler/bytesize", "compiler/regularfile"},
	"compiler/baseline":          {"compiler/schema"},
	"compiler/bytesize":          {},
	"compiler/gctuning":          {},
	"compiler/color":             {},
	"compiler/columns":           {},
	"compiler/cut":               {"compiler/markdown", "compiler/token"},
	"compiler/torturetest":       {},
	"compiler/diag":              {"compiler/amount", "compiler/secret", "compiler/invisible"},
	"compiler/lastrun":           {"compiler/bytesize", "compiler/pack", "compiler/publish", "compiler/schema", "compiler/regularfile"},
	"compiler/frontmatter":       {"compiler/diag", "compiler/strictyaml"},
	"compiler/injection":         {"compiler/prose", "compiler/invisible"},
	"compiler/lint":              {"compiler/policy", "compiler/nearest", "compiler/pack", "compiler/markdown", "compiler/rulebook", "compiler/injection", "compiler/prose", "compiler/diag", "compiler/secret", "compiler/token", "compiler/schema", "compiler/frontmatter", "compiler/packpath", "compiler/store"},
	"compiler/markdown":          {"compiler/schema", "compiler/diag", "compiler/nearest", "compiler/token", "compiler/frontmatter", "compiler/packpath", "compiler/strictyaml", "compiler/htmltag"},
	"compiler/nearest":           {},
	"compiler/pack":              {"compiler/amount", "compiler/bytesize", "compiler/strictyaml", "compiler/nearest", "compiler/diag", "compiler/secret", "compiler/token", "compiler/frontmatter", "compiler/packpath", "compiler/schema", "compiler/pack", "compiler/regularfile", "compiler/store"},
	"compiler/packpath":          {"compiler/invisible"},
	"compiler/prose":             {},
	"compiler/prune":             {"compiler/lastrun", "compiler/pack", "compiler/markdown", "compiler/frontmatter", "compiler/publish", "compiler/schema"},
	"compiler/publish":           {"compiler/bytesize", "compiler/scratch", "compiler/store", "compiler/regularfile"},
	"compiler/reference":         {"compiler/markdown"},
	"compiler/regularfile":       {},
	"compiler/rulebook":          {"compiler/diag"},
	"compiler/policy":            {"compiler/diag"},
	"compiler/schema":            {"compiler/amount", "compiler/bytesize", "compiler/diag", "compiler/nearest", "compiler/packpath", "compiler/schema"},
	"compiler/schema/schematest": {},
	"compiler/scratch":           {"compiler/regularfile"},
	"compiler/secret":            {"compiler/prose"},
	"compiler/stem":              {},
	"compiler/store":             {"compiler/diag", "compiler/regularfile", "compiler/scratch"},
	"compiler/store/remote":      {"compiler/atomicfile", "compiler/diag", "compiler/scratch", "compiler/store", "compiler/store/remote"},
	"compiler/strictyaml":        {"compiler/amount", "compiler/diag", "compiler/nearest"},
	"compiler/htmltag":           {},
	"compiler/token":             {},
	"compiler/invisible":         {},

	"resolver":                    {"compiler", "resolver"},
	"resolver/adopt":              {"compiler"},
	"resolver/agent/doctor":       {"compiler/amount", "compiler/atomicfile", "compiler/schema", "compiler/scratch", "resolver/agent", "resolver/loadout", "resolver/repo"},
	"resolver/agent/hook":         {"resolver/agent/jsonfile", "compiler/prose", "compiler/secret", "compiler/token", "resolver/context/escape", "resolver/context/rank", "resolver/loadout/javascript", "resolver/loadout/layers", "resolver/loadout", "resolver/loadout/indexfile", "compiler/atomicfile", "compiler/regularfile"},
	"resolver/agent/managedblock": {},
	"resolver/agent/connect":      {"compiler", "resolver/agent/managedblock", "resolver/agent/hook", "resolver/agent/jsonfile", "resolver/loadout", "resolver/repo"},
	"resolver/agent/exchange":     {"compiler", "resolver/context", "resolver/agent/managedblock", "resolver/agent/relink", "resolver/agent/rules", "resolver/loadout", "resolver/starter", "resolver/repo"},
	"resolver/agent/jsonfile":     {"resolver/loadout"},
	"resolver/agent/relink":       {"compiler/invisible", "compiler/markdown", "compiler/frontmatter", "compiler/reference"},
	"resolver/agent/migrate":      {},
	"resolver/agent/mcp":          {"compiler", "resolver/agent/usage", "resolver/context", "resolver/loadout", "resolver/repo"},
	"resolver/agent/memory":       {"compiler/amount", "compiler/secret", "compiler/diag", "compiler/nearest", "compiler/frontmatter", "resolver/check", "resolver/repo", "compiler/token", "resolver/loadout/javascript", "resolver/loadout/layers", "resolver/loadout", "resolver/loadout/indexfile", "compiler/atomicfile", "compiler/regularfile"},
	"resolver/agent/rules":        {"resolver/agent/hook", "resolver/agent/relink", "compiler/amount", "compiler/diag", "compiler/frontmatter", "compiler/stem", "resolver/check", "resolver/repo", "compiler/token", "resolver/loadout/javascript", "resolver/loadout", "compiler/atomicfile", "compiler/regularfile"},
	"resolver/agent/usage":        {"compiler/amount", "compiler/atomicfile", "compiler/regularfile", "compiler/columns", "compiler/diag", "resolver/agent/hook", "resolver/agent/memory", "resolver/loadout", "resolver/repo"},
	"resolver/boot/glob":          {},
	"resolver/check":              {"compiler", "resolver"},
	"resolver/context/parallel":   {},
	"resolver/context/rank":       {"compiler/stem", "resolver/context/parallel"},
	"resolver/editor":             {"compiler", "resolver/agent/relink", "resolver/boot", "resolver/check", "resolver/eval", "resolver/loadout/index", "resolver/repo"},
	"resolver/eval":               {"compiler", "resolver"},
	"resolver/loadout":            {"compiler/stem", "compiler/token"},
	"resolver/loadout/index":      {"compiler", "resolver/context", "resolver/loadout"},
	"resolver/loadout/indexfile":  {"resolver/loadout", "compiler/atomicfile", "compiler/regularfile"},
	"resolver/loadout/javascript": {"resolver/loadout", "compiler/token", "compiler/invisible"},
	"resolver/loadout/layers":     {"compiler", "resolver"},
	"resolver/loadout/goldentest": {"resolver/loadout"},
	"resolver/loadout/json":       {"compiler/bytesize", "resolver/loadout"},
	"resolver/loadout/jsonrecord": {"resolver/loadout"},
	"resolver/loadout/scripts":    {"resolver/loadout"},
	"resolver/loadout/entryowner": {"resolver/loadout"},
	"resolver/loadout/render":     {"compiler/amount", "compiler/color", "compiler/columns", "compiler/diag", "resolver/loadout", "resolver/repo"},
	"resolver/remote":             {"compiler", "resolver/remote", "compiler/atomicfile"},
	"resolver/starter":            {"resolver/adopt", "compiler", "resolver/repo"},
	"resolver/repo":               {"compiler", "resolver/agent/hook", "resolver/boot", "resolver/context", "resolver/loadout"},
	"resolver/remote/elsewhere":   {"compiler", "resolver/agent/hook", "resolver/check", "resolver/loadout", "resolver/context", "resolver/remote", "resolver/repo"},
	"resolver/remote/fetch":       {"compiler/atomicfile", "compiler/bytesize", "compiler/packpath", "compiler/regularfile", "resolver/remote/login", "resolver/remote/signature"},
	"resolver/remote/login":       {"compiler/atomicfile", "compiler/scratch"},
	"resolver/remote/registry":    {"compiler/regularfile", "resolver/remote/fetch", "resolver/remote/signature"},
	"resolver/remote/signature":   {"compiler/archive", "compiler/diag", "compiler/schema", "compiler/scratch"},

	"site":                   {"compiler", "resolver", "site", "templates", "assets"},
	"site/model":             {"compiler", "resolver/context", "templates", "site/article", "site/highlight", "site/search"},
	"site/page":              {"compiler", "templates", "assets", "site/article", "site/highlight", "site/model"},
	"site/article":           {"compiler", "templates", "site/diagram", "site/highlight", "site/mathml"},
	"site/diagram":           {"templates"},
	"site/highlight":         {"compiler/store", "templates", "site/highlight/grammar", "site/highlight/lexers"},
	"site/highlight/grammar": {},
	"site/highlight/lexers":  {},
	"site/build":             {"compiler", "resolver", "site"},
	"site/search":            {"compiler/schema", "compiler/scratch", "compiler/store", "resolver/context/rank", "site/shard"},
	"site/shard":             {},
	"site/matching":          {"compiler/store", "resolver/loadout", "site/shard"},
	"site/server":            {"compiler/diag", "compiler/publish", "compiler/scratch", "site", "assets"},
	"templates":              {"compiler/amount"}, // numbers are written in one way everywhere
	"assets":                 {},
	"assets/wasm":            {"resolver/loadout"},
}

// modules says which rooms may use a dependency, except tests.
var modules = map[string][]string{
	"github.com/spf13/cobra":                  {"cmd/packgen"},
	"github.com/spf13/pflag":                  {"cmd/packgen"},
	"github.com/bmatcuk/doublestar/v4":        {"cmd/packgen", "compiler", "resolver", "site/build"},
	"github.com/yuin/goldmark":                {"compiler", "resolver/loadout/index", "site"},
	"github.com/alecthomas/chroma/v2":         {"site/highlight"},
	"github.com/dlclark/regexp2/v2":           {"site/highlight/grammar"}, // the engine of chroma: the highlighter reads its patterns
	"github.com/evanw/esbuild":                {"assets"},
	"github.com/fsnotify/fsnotify":            {"site/server"},
	"github.com/go-json-experiment/json":      {"compiler/schema"}, // what becomes encoding/json/v2: strict, with places, streaming
	"github.com/klauspost/compress":           {"compiler/archive", "compiler/store/remote", "site/build"},
	"github.com/modelcontextprotocol/go-sdk":  {"resolver/agent/mcp"}, // the protocol in all its versions, by those who define it
	"github.com/gofrs/flock":                  {"compiler/regularfile", "compiler/publish", "compiler/scratch", "resolver/remote"},
	"go.yaml.in/yaml/v3":                      {"cmd/packgen", "compiler", "resolver"},
	"github.com/opencontainers/image-spec":    {"resolver/remote"},
	"github.com/sigstore/sigstore-go":         {"cmd/packgen-sign"},                          // bundles, by those who define them; large, so in a module of its own
	"github.com/sigstore/sigstore":            {"cmd/packgen-sign"},                          // keys, as sigstore-go takes them
	"github.com/sigstore/protobuf-specs":      {"cmd/packgen-sign"},                          // the types of bundles
	"github.com/theupdateframework/go-tuf/v2": {"cmd/packgen-sign"},                          // says how the root of the public Sigstore is fetched
	"google.golang.org/protobuf":              {"cmd/packgen-sign", "compiler/store/remote"}, // writes bundles, and messages of the Remote Execution API
	"github.com/bazelbuild/remote-apis":       {"compiler/store/remote"},                     // the messages of that API, by those who define it
	"google.golang.org/genproto":              {"compiler/store/remote"},                     // its streams of bytes
	"google.golang.org/grpc":                  {"compiler/store/remote"},                     // what it is spoken over: 1.6 ms of the start of a program, 4 MB
	"oras.land/oras-go/v2":                    {"resolver/remote"},                           // registries: their login, Docker's configuration, uploads
	"golang.org/x/sync":                       {"cmd/packgen", "compiler", "resolver", "site"},
	"golang.org/x/sys":                        {"cmd/packgen", "compiler/publish", "compiler/pack"},
	"golang.org/x/text":                       {"compiler", "resolver", "site"},
	"golang.org/x/mod":                        {"compiler", "resolver"},
	"golang.org/x/net":                        {"resolver/remote/signature"}, // idna: a host in another script is compared as the client asks for it

	"github.com/santhosh-tekuri/jsonschema/v6": {"compiler/schema/schematest"}, // for tests
}

func TestHouseHasNoOtherTopLevelFolder(t *testing.T) {
	known := []string{"cmd", "compiler", "resolver", "site", "templates", "assets", "editors", "packaging", "packs", "testdata"}
	ignored := []string{"public", "bin", "node_modules"}
	entries, err := os.ReadDir(".")
	oktest.Check(t, err)
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(known, name) && !slices.Contains(ignored, name) {
			t.Errorf("%s is not a room of the house", name)
		}
	}
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	seen := 0
	for file, imports := range sources(t) {
		room := fitting(rooms, path.Dir(file))
		if room == "" {
			t.Errorf("%s lies in no room", file)
			continue
		}
		for _, name := range imports {
			seen++
			if own, ok := strings.CutPrefix(name, module); ok {
				if !within(rooms[room], own) && fitting(rooms, own) != room {
					t.Errorf("%s: %s may not import %s", file, room, own)
				}
				continue
			}
			if !strings.Contains(strings.Split(name, "/")[0], ".") {
				continue // the standard library
			}
			users, listed := modules[fitting(modules, name)]
			if !listed || !within(users, path.Dir(file)) {
				t.Errorf("%s: %s may not import %s", file, room, name)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no import was looked at")
	}
}

// The contributors' page of rooms has a line for each folder that holds Go files,
// and none for folders that are gone.
func TestContributorPackNamesEveryRoom(t *testing.T) {
	page, err := os.ReadFile("packs/packgen-contributor/documents/rooms.md")
	oktest.Check(t, err)
	var named []string
	for line := range strings.Lines(string(page)) {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			folder, job, _ := strings.Cut(rest, "` | ")
			named = append(named, folder)
			if strings.Trim(job, " |\n") == "" {
				t.Errorf("rooms.md does not say what %s is for", folder)
			}
		}
	}
	for file := range sources(t) {
		if folder := path.Dir(file); !slices.Contains(named, folder) {
			t.Errorf("rooms.md does not name %s", folder)
			named = append(named, folder)
		}
	}
	for i, folder := range named {
		if files, _ := filepath.Glob(folder + "/*.go"); len(files) == 0 {
			t.Errorf("rooms.md names %s, which holds no Go file", folder)
		}
		if slices.Contains(named[:i], folder) {
			t.Errorf("rooms.md names %s twice", folder)
		}
	}
}

// The page that says where a change goes names files and folders that exist.
func TestContributorPackNamesFilesThatExist(t *testing.T) {
	page, err := os.ReadFile("packs/packgen-contributor/documents/rooms.md")
	oktest.Check(t, err)
	_, section, _ := strings.Cut(string(page), "\n## Where a change goes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	names := regexp.MustCompile("`([a-z]+/[a-z0-9/._-]+)`").FindAllStringSubmatch(section, -1)
	if len(names) < 10 {
		t.Errorf("only %d files are named", len(names))
	}
	for _, m := range names {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("rooms.md sends a change to %s: %v", m[1], err)
		}
	}
}

// reachingWebAssembly are the packages that the browser downloads.
var reachingWebAssembly = []string{"assets/wasm", "resolver/loadout", "compiler/stem", "compiler/token"}

// What the browser downloads is the kernel and the little of the standard
// library that a Go program cannot be without.
func TestRoomsReachingWebAssembly(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./assets/wasm")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	forbidden := []string{"fmt", "encoding/json", "reflect", "regexp", "time", "os", "io", "context", "net"}
	for name := range strings.FieldsSeq(string(out)) {
		own, ours := strings.CutPrefix(name, module)
		switch {
		case ours && !slices.Contains(reachingWebAssembly, own):
			t.Errorf("%s reaches WebAssembly", own)
		case !ours && slices.Contains(forbidden, name):
			t.Errorf("the standard library's %s reaches WebAssembly", name)
		case !ours && strings.Contains(strings.Split(name, "/")[0], "."):
			t.Errorf("the module %s reaches WebAssembly", name)
		}
	}
}

// What knows Sigstore is large and slow to start: packgen-sign alone links it, and is a module
// of its own.
func TestSigstoreIsInAModuleOfItsOwn(t *testing.T) {
	for dir, want := range map[string]bool{".": false, "cmd/packgen-sign": true} {
		out, err := exec.Command("go", "-C", dir, "list", "-deps", "./...").Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if got := strings.Contains(string(out), "github.com/sigstore/"); got != want {
			t.Errorf("the module in %s links Sigstore: %t, want %t", dir, got, want)
		}
	}
}

// A module that others build pays for what it requires.
func TestModuleRequiresLittle(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	oktest.Check(t, err)
	direct, indirect := 0, 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasSuffix(line, "// indirect\n"):
			indirect++
		case strings.HasPrefix(line, "\t"):
			direct++
		}
	}
	if direct == 0 || direct > 30 || indirect > 40 {
		t.Errorf("go.mod requires %d modules directly and %d indirectly: at most 30 and 40", direct, indirect)
	}
}

// linkers lists the packages of ours that link modules which do work before main.
var linkers = map[string][]string{
	"google.golang.org/grpc": {"cmd/packgen", "compiler/store/remote/client", "compiler/store/remote/remotetest"},
	"oras.land/oras-go/v2":   {"cmd/packgen", "resolver/remote", "resolver/remote/elsewhere", "resolver/remote/fetch", "resolver/remote/registry"},
}

// A package that wants a path links no client of servers.
func TestServersAreAskedByFewPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		deps := strings.Fields(line)
		name := strings.TrimPrefix(deps[0], module)
		for linked, may := range linkers {
			if slices.Contains(may, name) {
				continue
			}
			if slices.ContainsFunc(deps, func(d string) bool { return within([]string{linked}, d) }) {
				t.Errorf("%s links %s", name, linked)
			}
		}
	}
}

// What is larger than a limit is reported in the units that the limit is set in.
func TestMessagesAboutLargeFilesHaveUnits(t *testing.T) {
	for file := range sources(t) {
		text, err := os.ReadFile(file)
		oktest.Check(t, err)
		for _, form := range []string{"larger than %d bytes", "At most %d bytes"} {
			if strings.Contains(string(text), form) {
				t.Errorf("%s says %q: compiler/bytesize writes sizes", file, form)
			}
		}
	}
}

// The program is flags, calls and printing.
func TestHouseProgramStaysSmall(t *testing.T) {
	const most = 8000 // lines
	n := 0
	for file := range sources(t) {
		if !within([]string{"cmd/packgen"}, file) {
			continue
		}
		text, err := os.ReadFile(file)
		oktest.Check(t, err)
		n += bytes.Count(text, []byte("\n"))
	}
	if n == 0 || n > most {
		t.Errorf("cmd/packgen has %d lines: at most %d, what is beside flags, calls and printing belongs to a package", n, most)
	}
}

// A package says in its first sentence what it is for.
func TestHousePackagesSayWhatTheyAreFor(t *testing.T) {
	const maxSentence = 330 // characters
	docs := map[string]string{}
	for file := range sources(t) {
		text, err := os.ReadFile(file)
		oktest.Check(t, err)
		docs[path.Dir(file)] += "" // a package without one is looked at too
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly|parser.ParseComments)
		oktest.Check(t, err)
		if tree.Doc != nil {
			if path.Base(file) != "doc.go" {
				t.Errorf("%s has the doc of its package: it belongs into doc.go", file)
			}
			docs[path.Dir(file)] += strings.Join(strings.Fields(tree.Doc.Text()), " ")
		}
	}
	for folder, doc := range docs {
		if !regexp.MustCompile(`^(Package|Command) ` + regexp.QuoteMeta(path.Base(folder)) + ` [a-z]+\b`).MatchString(doc) {
			t.Errorf("the doc of %s begins %.60q: write what it is for, as a sentence that begins with its name", folder, doc)
		}
		if first, _, _ := strings.Cut(doc+" ", ". "); len(first) > maxSentence || strings.Contains(first, "[") {
			t.Errorf("the first sentence of the doc of %s is too long for a newcomer, or refers to a name: %s", folder, first)
		}
	}
}

// sources returns the imports of every Go file of ours, except tests, by path.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	for _, top := range []string{"cmd", "compiler", "resolver", "site", "templates", "assets"} {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			name = filepath.ToSlash(name)
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			files[name] = []string{}
			for _, spec := range tree.Imports {
				value, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				files[name] = append(files[name], value)
			}
			return nil
		})
		oktest.Check(t, err)
	}
	return files
}

// fitting returns the longest key that is name or a folder above it.
func fitting[T any](table map[string]T, name string) string {
	best := ""
	for key := range table {
		if len(key) > len(best) && within([]string{key}, name) {
			best = key
		}
	}
	return best
}

// within reports whether name is one of the folders or lies below one.
func within(folders []string, name string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return name == f || strings.HasPrefix(name, f+"/")
	})
}

// statusWords are statuses of the format: compiler/schema has them as constants.
var statusWords = []string{"disputed", "stale", "needs-review", "source-required", "inferred", "confirmed"}

// writesStatuses lists who writes statuses as words after all.
var writesStatuses = map[string]string{
	"compiler/schema/status.go":         "it makes them constants",
	"resolver/check/index.go":           "the words of an ontology",
	"resolver/loadout/status.go":        "it reaches WebAssembly",
	"resolver/context/rank/prose.go":    "packgen-hook links it, and no schema",
	"resolver/context/escape/status.go": "packgen-hook links it, and no schema",
	"templates/claims.go":               "it imports nothing of the compiler",
}

// A status is a schema.Status, so that a word that no record may have does not compile.
func TestHouseWritesStatusesAsConstants(t *testing.T) {
	seen := map[string]bool{}
	for file := range sources(t) {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || !slices.Contains(statusWords, strings.Trim(literal.Value, `"`)) {
				return true
			}
			if seen[file] = true; writesStatuses[file] == "" {
				t.Errorf("%s writes %s: use the constant of compiler/schema", file, literal.Value)
			}
			return true
		})
	}
	for file := range writesStatuses {
		if !seen[file] {
			t.Errorf("%s writes no status: take it from the list", file)
		}
	}
}

// waiting are the calls that wait for the other end of a pipe that somebody put in
// the place of a file or directory. compiler/regularfile has those that do not.
var waiting = []string{"os.Open", "os.OpenFile", "os.OpenRoot", "os.ReadFile", "os.WriteFile", "os.Create", "os.DirFS", "flock.New"}

// waits lists who may call them after all.
var waits = map[string]string{
	"compiler/regularfile/":               "it makes them safe",
	"compiler/publish/layer":              "a new file, by O_EXCL",
	"resolver/remote/remote.go":           "in a directory that it has just made",
	"resolver/remote/elsewhere/places.go": "a temporary file of its own",
	"assets/wasm/build/":                  "a tool for this repository's own files",
	"resolver/loadout/goldentest/":        "for tests",
	"cmd/packgentest/":                    "for tests",
	"compiler/oktest/":                    "for tests",
	"compiler/pack/packtest/":             "for tests",
	"compiler/torturetest/":               "for tests",
	"compiler/schema/schematest/":         "for tests",
	"resolver/remote/fetch/fetchtest/":    "for tests",
}

// Whatever is where a file is read, nothing waits for it.
func TestHouseOpensRegularFilesAlone(t *testing.T) {
	seen := 0
	for file := range sources(t) {
		text, err := os.ReadFile(file)
		oktest.Check(t, err)
		seen++
		for _, call := range waiting {
			if !regexp.MustCompile(`\b` + regexp.QuoteMeta(call) + `\(`).Match(text) {
				continue
			}
			allowed := false
			for prefix := range waits {
				if strings.HasPrefix(file, prefix) {
					allowed = true
				}
			}
			if !allowed {
				t.Errorf("%s calls %s, which waits for the other end of a pipe: use compiler/regularfile", file, call)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no file was looked at")
	}
}
