package packgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A function, variable or plain constant that no other package uses is not
// exported. Types are left out: what a package hands out may have a type whose name
// nobody writes; so are constants of a type, which belong together.
func TestHouseExportsNothingThatNoOtherPackageUses(t *testing.T) {
	const module = "github.com/packgen/packgen/"
	files := token.NewFileSet()
	exported := map[string]string{} // "folder.Name" → place
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (slices.Contains([]string{"testdata", "node_modules", "packs", "public"}, d.Name()) || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		imports := map[string]string{} // name in the file → folder
		for _, spec := range f.Imports {
			folder, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
			switch {
			case !ours:
			case spec.Name != nil:
				imports[spec.Name.Name] = folder
			default:
				imports[path.Base(folder)] = folder
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] != "" {
					used[imports[x.Name]+"."+sel.Sel.Name] = true
				}
			}
			return true
		})
		if strings.HasSuffix(name, "_test.go") || f.Name.Name == "main" {
			return nil
		}
		note := func(id *ast.Ident) {
			if id.IsExported() {
				at := files.Position(id.Pos())
				exported[filepath.ToSlash(filepath.Dir(name))+"."+id.Name] = at.Filename + ":" + strconv.Itoa(at.Line)
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					note(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && v.Type == nil && len(v.Values) == len(v.Names) {
						for _, id := range v.Names {
							note(id)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil || len(exported) < 500 {
		t.Fatalf("%d exported names, %v", len(exported), err)
	}
	for name, place := range exported {
		if !used[name] {
			t.Errorf("%s: no other package uses %s: do not export it", place, name)
		}
	}
}
