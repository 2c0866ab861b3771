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

// A function, variable, type or plain constant that no other package uses is not
// exported. A type that an exported name of its package hands out counts as used,
// since nobody need write its name; constants of a type belong together.
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
		folder := filepath.ToSlash(filepath.Dir(name))
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					note(d.Name)
				}
				if d.Name.IsExported() {
					handOut(used, folder, d.Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch v := spec.(type) {
					case *ast.ValueSpec:
						if v.Type == nil && len(v.Values) == len(v.Names) {
							for _, id := range v.Names {
								note(id)
							}
						}
						if v.Type != nil && v.Names[0].IsExported() {
							handOut(used, folder, v.Type)
						}
					case *ast.TypeSpec:
						note(v.Name)
						handOut(used, folder, v.Type)
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

// handOut notes the types of its own that a package names in a type: in the parameters and
// results of a function, and in the exported fields and methods of another type.
func handOut(used map[string]bool, folder string, in ast.Expr) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			used[folder+"."+n.Name] = true
		case *ast.Field:
			hidden := len(n.Names) > 0 && !n.Names[0].IsExported() && n.Names[0].Name != "_"
			_, param := in.(*ast.FuncType)
			return param || !hidden
		case *ast.SelectorExpr:
			return false
		}
		return true
	})
}
