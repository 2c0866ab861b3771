package packgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// osWrites are the calls of package os that change a disk. compiler/regularfile has those
// that refuse links below a repository.
var osWrites = []string{
	"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp",
	"OpenFile", "Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile",
}

// rootWrites are the methods of os.Root that change a disk. A root leaves links alone that
// stay below it, so their users ask regularfile.CheckWriteIn.
// The numbers are those of their arguments, since others have such names too.
var rootWrites = map[string]int{"Create": 1, "Link": 2, "Mkdir": 2, "MkdirAll": 2, "OpenFile": 3, "Rename": 2, "Symlink": 2, "WriteFile": 3}

// writers lists who may write without compiler/regularfile.
var writers = map[string]string{
	"compiler/regularfile/":       "it checks what all others write",
	"assets/wasm/build/":          "a tool for this repository's own files",
	"compiler/archive/extract.go": "the mode of a directory that it has just made",
	"compiler/store/disk.go":      "the time of a file that it has opened to write",
	"cmd/packgentest/":            "for tests",
	"compiler/oktest/":            "for tests",
	"compiler/pack/packtest/":     "for tests",
	"compiler/torturetest/":       "for tests",
	"compiler/schema/schematest/": "for tests",
}

// rootWriters lists who may write by a method of such a name.
var rootWriters = map[string]string{
	"compiler/atomicfile/":          "it asks CheckWriteIn",
	"compiler/regularfile/":         "it opens files below a root for reading",
	"compiler/archive/extract.go":   "below a directory that it has just made",
	"compiler/pack/handle_linux.go": "it opens directories",
	"compiler/publish/":             "the layer, which writes by compiler/regularfile",
	"resolver/agent/rules/split.go": "it asks CheckWriteIn for each file before the first is written",
}

// A write that does not go through compiler/regularfile would follow the links of a
// stranger's checkout.
func TestHouseWritesThroughRegularfileAlone(t *testing.T) {
	used := map[string]bool{}
	allowed := func(list map[string]string, file string) bool {
		for prefix := range list {
			if strings.HasPrefix(file, prefix) {
				used[prefix] = true
				return true
			}
		}
		return false
	}
	for file := range sources(t) {
		set := token.NewFileSet()
		tree := oktest.Value(parser.ParseFile(set, file, nil, 0))(t)
		packages := map[string]bool{}
		for _, spec := range tree.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			name = name[strings.LastIndexByte(name, '/')+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			packages[name] = true
		}
		isPackage := func(e ast.Expr) bool {
			of, ok := e.(*ast.Ident)
			return ok && packages[of.Name]
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				to, _ := call.Fun.(*ast.SelectorExpr)
				if to != nil && !isPackage(to.X) && len(call.Args) > 0 && rootWrites[to.Sel.Name] == len(call.Args) && !allowed(rootWriters, file) {
					t.Errorf("%s: %s: if it writes below a root, ask regularfile.CheckWriteIn and list the file here", set.Position(to.Pos()), to.Sel.Name)
				}
			}
			if at, ok := n.(*ast.SelectorExpr); ok && isPackage(at.X) {
				if of := at.X.(*ast.Ident); of.Name == "os" && slices.Contains(osWrites, at.Sel.Name) && !allowed(writers, file) {
					t.Errorf("%s: os.%s follows links of a checkout: use compiler/regularfile", set.Position(at.Pos()), at.Sel.Name)
				}
			}
			return true
		})
	}
	for _, list := range []map[string]string{writers, rootWriters} {
		for prefix := range list {
			if !used[prefix] {
				t.Errorf("%s writes nothing: take it from the list", prefix)
			}
		}
	}
}
