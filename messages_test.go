package packgen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/packgen/packgen/compiler/oktest"
)

// A message says what is wrong: it begins in lower case and has no full stop. A fix
// says what to do, as an imperative. This file finds both in the code and checks them.

// kernel lists the packages and files whose messages are fixed by the format they implement,
// with shared goldens that pin them.
var kernel = map[string]string{
	"resolver/loadout":                 "the loadout kernel: the issues of an index",
	"resolver/agent/memory/index.go":   "the loadout kernel: the issues of a store",
	"resolver/agent/memory/publish.go": "the loadout kernel: the issues of a store",
	"resolver/agent/memory/store.go":   "the loadout kernel: the issues of a store",
	"resolver/agent/rules/reindex.go":  "the loadout kernel: the issues of rule files",
	"resolver/agent/rules/validate.go": "the loadout kernel: the issues of rule files",
	"compiler/pack/packtest":           "for tests",
	"resolver/remote/fetch/fetchtest":  "for tests",
}

// sentences lists the packages whose messages, not their fixes and errors, are the warnings of a
// format: whole sentences.
var sentences = []string{"resolver/context"}

// formats are the messages that the Agent Knowledge format fixes word for word.
var formats = []string{
	"Claim has no source anchor while grounding is ",
	"Status of this file is ",
	"Unknown claim status ",
	"Edited by hand; kept.",
	"Made by hand; indexed as a view.",
	" changed after this file was last edited.",
	" is disputed on %s.",
	" is both confirmed and disputed.",
}

// names are words that begin a sentence with a capital wherever they appear.
var names = regexp.MustCompile(`^(?:\p{Lu}[\p{Lu}\d_.-]|GitHub|GitLab|Unicode|Windows|Markdown|Git\b)`)

// imperatives are the verbs that begin a fix.
var imperatives = strings.Fields(`accept add allow ask break build call change check choose combine compare compile copy correct
	cut declare delete drop export fetch free generate give have indent install join keep leave let link list look
	make mark merge move name pack pass point publish pull push put quote raise read reinstall remove rename replace resolve restore revoke
	rewrite run save say set settle shorten split start stop store take trust try turn unpack unset update upgrade use
	wait wire write`)

// sinks are the names of parameters, fields and variables that hold messages and fixes.
var sinks = map[string]string{
	"message": "message", "Message": "message", "problem": "message", "Problem": "message", "What": "message",
	"hint": "fix", "Hint": "fix", "fix": "fix",
}

// faultOf says what is wrong with a text of a kind; "" when nothing is. first and
// last are the ends of the text that are known: a part that is computed is "%v".
func faultOf(kind, first, last string) string {
	first = strings.TrimLeft(first, "\"'`(")
	switch {
	case first == "" || slices.ContainsFunc(formats, func(f string) bool { return strings.Contains(first+"\n"+last, f) }):
		return ""
	case strings.HasSuffix(last, ".") && !strings.HasSuffix(last, ".."):
		return "ends with a full stop"
	case strings.HasSuffix(last, "!"):
		return "ends with an exclamation mark"
	}
	letter, _ := utf8First(first)
	if unicode.IsUpper(letter) && !names.MatchString(first) {
		return "begins with a capital"
	}
	if kind != "fix" || strings.HasPrefix(first, "%") || strings.HasPrefix(first, "did you mean ") {
		return ""
	}
	verb, _, _ := strings.Cut(first, " ")
	if !slices.Contains(imperatives, strings.TrimRight(verb, ",:;")) {
		return "is not an imperative"
	}
	for _, part := range []string{first, last} {
		if hit := notAFix.FindString(part); hit != "" {
			return fmt.Sprintf("has %q: one sentence of imperatives says what to do", hit)
		}
	}
	return ""
}

// notAFix finds what a fix has nowhere: a second sentence, a clause that begins with a
// capital, a gerund or an infinitive, and advice in place of an imperative.
var notAFix = regexp.MustCompile(`[a-z)]\. [A-Za-z]|[;:] [A-Z][a-z]+ing\b|; [A-Z][a-z]+ |(?:; |, or |, then |, and )to [a-z]{2,}\b|(?:; |, or |, then )[a-z]{2,}ing [a-z]+ it\b|\b(?:[Pp]lease|should|you (?:may|can|could|should|must|have)|one has to|is to be|are to be|ought)\b`)

func utf8First(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

// text is a message or a fix in the code.
type text struct {
	at          token.Position
	kind        string
	first, last string
}

// reader collects the texts of a package.
type reader struct {
	set   *token.FileSet
	takes map[string]map[int]string // by function name: the arguments that are messages or fixes
	texts []text
}

// declare notes which arguments of a function are messages and fixes.
func (r *reader) declare(name string, fields *ast.FieldList) {
	i, takes := 0, map[int]string{}
	for _, field := range fields.List {
		for _, id := range field.Names {
			if kind := sinks[id.Name]; kind != "" {
				takes[i] = kind
			}
			i++
		}
	}
	// A format beside a fix is the message that it goes with.
	if slices.Contains(slices.Collect(maps.Values(takes)), "fix") {
		i = 0
		for _, field := range fields.List {
			for _, id := range field.Names {
				if id.Name == "format" {
					takes[i] = "message"
				}
				i++
			}
		}
	}
	if len(takes) > 0 {
		r.takes[name] = takes
	}
}

// add notes a text, if the expression is one.
func (r *reader) add(kind string, e ast.Expr) {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) > 0 && calledName(call) == "Sprintf" {
		e = call.Args[0]
	}
	first, last, ok := ends(e)
	if ok {
		r.texts = append(r.texts, text{r.set.Position(e.Pos()), kind, first, last})
	}
}

// ends returns the first and the last literal of a text; what is computed is "%v".
func ends(e ast.Expr) (first, last string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, s, err == nil
	case *ast.ParenExpr:
		return ends(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", "", false
		}
		first, _, a := ends(e.X)
		_, last, b := ends(e.Y)
		if !a {
			first = "%v"
		}
		if !b {
			last = "%v"
		}
		return first, last, a || b
	}
	return "", "", false
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// visit finds the texts in one node.
func (r *reader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := calledName(n)
		switch {
		case name == "Errorf" || name == "New" && strings.HasPrefix(fmt.Sprint(n.Fun), "&{errors"):
			r.add("error", n.Args[0])
		case name == "WithHint" && len(n.Args) > 1:
			r.add("fix", n.Args[1])
		default:
			for i, kind := range r.takes[name] {
				if i < len(n.Args) {
					r.add(kind, n.Args[i])
				}
			}
		}
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok && sinks[id.Name] != "" {
			r.add(sinks[id.Name], n.Value)
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if i < len(n.Values) {
				r.assign(id.Name, n.Values[i])
			}
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if i >= len(n.Rhs) || n.Tok == token.ADD_ASSIGN {
				break
			}
			switch to := to.(type) {
			case *ast.Ident:
				r.assign(to.Name, n.Rhs[i])
			case *ast.SelectorExpr:
				r.assign(to.Sel.Name, n.Rhs[i])
			}
		}
	}
	return true
}

// assign notes a text that is kept under a name such as hint or readHint.
func (r *reader) assign(name string, e ast.Expr) {
	if strings.HasSuffix(name, "Hint") {
		name = "hint"
	}
	if kind := sinks[name]; kind != "" {
		r.add(kind, e)
	}
}

// textsOf returns the messages and fixes of the files of one package. exported has the
// functions of other packages that take some.
func textsOf(set *token.FileSet, files []*ast.File, exported map[string]map[int]string) []text {
	r := &reader{set: set, takes: maps.Clone(exported)}
	r.declareAll(files)
	for _, file := range files {
		ast.Inspect(file, r.visit)
	}
	return r.texts
}

// declareAll notes the functions of some files that take messages and fixes.
func (r *reader) declareAll(files []*ast.File) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				r.declare(n.Name.Name, n.Type.Params)
			case *ast.AssignStmt:
				for i, e := range n.Rhs {
					if f, ok := e.(*ast.FuncLit); ok && i < len(n.Lhs) {
						if id, ok := n.Lhs[i].(*ast.Ident); ok {
							r.declare(id.Name, f.Type.Params)
						}
					}
				}
			}
			return true
		})
	}
}

// exportedOf returns the exported functions and methods that take messages and fixes.
func exportedOf(folders map[string][]*ast.File) map[string]map[int]string {
	r := &reader{takes: map[string]map[int]string{}}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		r.declareAll(folders[folder])
	}
	maps.DeleteFunc(r.takes, func(name string, _ map[int]string) bool { return !ast.IsExported(name) })
	return r.takes
}

// parsed returns the files of every package of ours, except tests, by folder.
func parsed(t *testing.T, set *token.FileSet) map[string][]*ast.File {
	t.Helper()
	folders := map[string][]*ast.File{}
	for _, name := range slices.Sorted(maps.Keys(sources(t))) {
		file := oktest.Value(parser.ParseFile(set, name, nil, parser.ParseComments))(t)
		folders[path.Dir(name)] = append(folders[path.Dir(name)], file)
	}
	return folders
}

func TestMessagesHaveOneForm(t *testing.T) {
	set := token.NewFileSet()
	count := 0
	folders := parsed(t, set)
	exported := exportedOf(folders)
	for folder, files := range folders {
		if kernel[folder] != "" {
			continue
		}
		for _, text := range textsOf(set, files, exported) {
			count++
			if kernel[text.at.Filename] != "" {
				continue
			}
			if text.kind == "message" && slices.Contains(sentences, folder) {
				if !strings.HasSuffix(text.last, ".") {
					t.Errorf("%s: the warning %q is not a sentence", text.at, text.first)
				}
				continue
			}
			if fault := faultOf(text.kind, text.first, text.last); fault != "" {
				t.Errorf("%s: the %s %q %s", text.at, text.kind, text.first, fault)
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d messages were found: the walk has lost its way", count)
	}
}

// The walk finds a bad message in each place that can hold one.
func TestMessageFormCanFail(t *testing.T) {
	for code, want := range map[string]string{
		`fmt.Errorf("Read the file: %w", err)`:                 "begins with a capital",
		`errors.New("the file is missing.")`:                   "ends with a full stop",
		`diag.WithHint(err, "the file can be deleted")`:        "is not an imperative",
		`diag.WithHint(err, "Delete the file")`:                "begins with a capital",
		`D{Message: "Key is given twice"}`:                     "begins with a capital",
		`D{Message: fmt.Sprintf("The key %q", k)}`:             "begins with a capital",
		`D{Hint: "delete " + name + "."}`:                      "ends with a full stop",
		`report("there is no " + name + "!")`:                  "ends with an exclamation mark",
		`func() { hint := "Delete it"; use(hint) }()`:          "begins with a capital",
		`func() { d.Hint = "it was deleted"; use(d) }()`:       "is not an imperative",
		`func() { d.ID, d.Hint = "x", "deleting"; use(d) }()`:  "is not an imperative",
		`func() { const aHint = "deleting it"; use(aHint) }()`: "is not an imperative",
		`yaml.Fault(n, "keeping one", "key %q", k)`:            "is not an imperative",
		`D{Message: "KNOWLEDGE.md is missing"}`:                "",
		`D{Hint: "did you mean x?"}`:                           "",
		`D{Hint: "delete it. Then run it again"}`:              `has "t. T": one sentence of imperatives says what to do`,
		`D{Hint: "delete it, or to keep it, rename it"}`:       `has ", or to keep": one sentence of imperatives says what to do`,
		`D{Hint: "rename it; you may keep it"}`:                `has "you may": one sentence of imperatives says what to do`,
		`D{Hint: "rename it; The old one stays"}`:              `has "; The ": one sentence of imperatives says what to do`,
		`fmt.Errorf("read %s: %w", name, err)`:                 "",
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "x.go", "package x\nfunc report(message string) {}\nvar _ = "+code, 0)
		if err != nil {
			t.Fatal(code, err)
		}
		texts := textsOf(set, []*ast.File{file}, map[string]map[int]string{"Fault": {1: "fix", 2: "message"}})
		if len(texts) == 0 {
			t.Errorf("%s: no message was found", code)
		}
		got := ""
		for _, text := range texts {
			got += faultOf(text.kind, text.first, text.last)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
