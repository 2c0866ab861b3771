package rulebook

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestRulesAreExplained(t *testing.T) {
	list := All()
	for i, r := range list {
		if i > 0 && list[i-1].ID >= r.ID {
			t.Errorf("%s and %s are out of order", list[i-1].ID, r.ID)
		}
		for name, text := range map[string]string{"title": r.Title, "meaning": r.Means, "reason": r.Why, "fix": r.Fix, "place": r.Where} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", r.ID, name)
			}
		}
		if found, ok := Find(r.ID); !ok || found.ID != r.ID {
			t.Errorf("%s is not found", r.ID)
		}
	}
	if _, ok := Find("no-such-rule"); ok {
		t.Error("a rule is found that does not exist")
	}
}

func TestRulesOfTheFormatAreThere(t *testing.T) {
	for id := range strings.FieldsSeq(`
		frontmatter-required ref-broken page-orphan entity-duplicate claim-stale claim-unsourced view-contradicts raw-copy injection-suspect
		secret-suspect concept-missing crossref-missing description-weak persona-limits
		claim-conflict claim-disputed contradiction-open question-open claim-missing claim-inferred source-changed baseline-lost source-stale
		status-needs-review anchor-unresolved source-missing schema-invalid metadata-invalid encoding-invalid path-escape symlink-escape
		path-collision view-hand-edited split-oversize document-empty view-hand-made scripts-present legacy-view`) {
		if _, ok := Find(id); !ok {
			t.Errorf("%s is not explained", id)
		}
	}
}

func TestAWrongRuleIdSuggestsTheRightOne(t *testing.T) {
	for wrong, want := range map[string]string{"claim-unsource": "claim-unsourced", "broken-ref": "ref-broken", "zzz": ""} {
		if got := Nearest(wrong); got != "" && !strings.Contains(got, want) || got == "" && want != "" {
			t.Errorf("%s gives %q, want %q", wrong, got, want)
		}
	}
}

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)

// Every id that some room gives a diagnostic is explained. An id is what is
// in the field ID of a diagnostic, or is handed to a parameter or variable that
// is named for an id, there and in every package that uses diagnostics.
func TestEveryIdInTheSourceIsExplained(t *testing.T) {
	ids := emitted(t, "../..")
	if len(ids) < 50 {
		t.Fatalf("only %d ids were found; the search is broken", len(ids))
	}
	for id, at := range ids {
		if _, ok := Find(id); !ok {
			t.Errorf("%s: %s is not explained", at, id)
		}
	}
}

// emitted maps each id to a place where it is used.
func emitted(t *testing.T, root string) map[string]string {
	t.Helper()
	packages := map[string][]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "node_modules", "public", "bin"}, d.Name()) || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && name != root):
			return filepath.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // being edited
		}
		packages[filepath.Dir(name)] = append(packages[filepath.Dir(name)], f)
		return nil
	})
	oktest.Check(t, err)
	ids := map[string]string{}
	for _, files := range packages {
		if slices.ContainsFunc(files, usesDiagnostics) {
			s := idSearch{consts: map[string]string{}, params: map[string]int{}, found: func(id string, at token.Pos) { ids[id] = fset.Position(at).String() }}
			s.search(files)
		}
	}
	return ids
}

func usesDiagnostics(f *ast.File) bool {
	return f.Name.Name == "diag" || slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return strings.HasSuffix(i.Path.Value, `/compiler/diag"`) })
}

// idSearch looks for ids in one package.
type idSearch struct {
	consts map[string]string // string constants by name
	params map[string]int    // place of the parameter "id" of functions that make diagnostics
	found  func(id string, at token.Pos)
}

func (s idSearch) search(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						if text, ok := s.text(n.Values[i]); ok {
							s.consts[name.Name] = text
						}
					}
				}
			case *ast.FuncDecl:
				s.params[n.Name.Name] = idParameter(n.Type)
			case *ast.AssignStmt:
				if f, ok := n.Rhs[0].(*ast.FuncLit); ok {
					s.params[typeName(n.Lhs[0])] = idParameter(f.Type)
				}
			}
			return true
		})
	}
	s.params["Report"] = 1 // frontmatter.Map.Report, called from other packages
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if n.Type == nil || strings.HasSuffix(typeName(n.Type), "Diagnostic") || typeName(n.Type) == "note" {
					s.field(n)
				}
			case *ast.CallExpr:
				if i, ok := s.params[typeName(n.Fun)]; ok && i >= 0 && i < len(n.Args) {
					s.use(n.Args[i])
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name := typeName(left); (name == "id" || name == "ID") && i < len(n.Rhs) {
						s.use(n.Rhs[i])
					}
				}
			}
			return true
		})
	}
}

// idParameter returns the place of a string parameter "id" in a list that also
// has a message or a severity; -1 without one.
func idParameter(f *ast.FuncType) int {
	place, at, makes := -1, 0, false
	for _, field := range f.Params.List {
		for _, name := range field.Names {
			switch name.Name {
			case "id":
				place = at
			case "message", "severity", "msg", "text":
				makes = true
			}
			at++
		}
	}
	if !makes {
		return -1
	}
	return place
}

func (s idSearch) field(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && strings.EqualFold(typeName(kv.Key), "id") && (n.Type != nil || hasSeverity(n)) {
			s.use(kv.Value)
		}
	}
}

// hasSeverity distinguishes an untyped literal of a diagnostic from one of a rule.
func hasSeverity(n *ast.CompositeLit) bool {
	has := func(key string) bool {
		return slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
			kv, ok := e.(*ast.KeyValueExpr)
			return ok && typeName(kv.Key) == key
		})
	}
	return has("Severity") && has("Message")
}

// use treats an expression as an id when its text is known.
func (s idSearch) use(e ast.Expr) {
	if text, ok := s.text(e); ok && kebab.MatchString(text) {
		s.found(text, e.Pos())
	}
}

func (s idSearch) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		text, ok := s.consts[e.Name]
		return text, ok
	}
	return "", false
}

// typeName is the last name of an expression: of a type, a function, a key.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return typeName(e.X)
	}
	return ""
}
