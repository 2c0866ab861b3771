package packgen_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

var update = flag.Bool("update", false, "write smaller figures into the list of what is over a limit")

// limits says how much of each kind one thing may have.
var limits = map[string]int{
	"methods":    20, // of a type
	"spread":     3,  // files that the methods of a type are in
	"fields":     15, // of a struct
	"embeds":     0,  // types of ours in a struct, except interfaces
	"files":      25, // of a package
	"small":      0,  // 1 for a package of fewer than 150 lines that neither reaches WebAssembly nor breaks a cycle
	"complexity": 15, // of a function: one and its branches
	"lines":      800,
}

// breaksCycles: a test inside of any package may use it.
const breaksCycles = "compiler/oktest"

const overLimits = "testdata/house/over-limits.txt"

// What is over a limit is in the list with its figure, and the list only shrinks: a figure
// that is larger than it must be fails like one that is exceeded.
func TestHouseStaysWithinLimits(t *testing.T) {
	text := oktest.Value(os.ReadFile(overLimits))(t)
	listed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		key, figure, _ := strings.Cut(strings.TrimSpace(line), " = ")
		n, err := strconv.Atoi(figure)
		if err != nil || listed[key] != 0 {
			t.Fatalf("%s: %q is not a new name and a figure", overLimits, line)
		}
		listed[key] = n
	}
	over := map[string]int{}
	for key, n := range measure(t) {
		kind, name, _ := strings.Cut(key, " ")
		if n <= limits[kind] {
			continue
		}
		over[key] = n
		if known := listed[key]; known == 0 {
			t.Errorf("%s has %s = %d: at most %d", name, kind, n, limits[kind])
		} else if n > known {
			t.Errorf("%s has %s = %d: it was %d before, and may only fall", name, kind, n, known)
		}
	}
	smaller := ""
	for _, key := range slices.Sorted(maps.Keys(listed)) {
		if n := min(over[key], listed[key]); n > 0 {
			smaller += fmt.Sprintf("%s = %d\n", key, n)
		}
		if over[key] < listed[key] && !*update {
			t.Errorf("%s: %s is %d now, not %d: run go test . -run TestHouseStaysWithinLimits -update", overLimits, key, over[key], listed[key])
		}
	}
	if *update && smaller != string(text) {
		oktest.Check(t, os.WriteFile(overLimits, []byte(smaller), 0o644))
	}
}

// measure returns the figures of everything that has a limit, by kind and name.
func measure(t *testing.T) map[string]int {
	figures, lines, trees := map[string]int{}, map[string]int{}, map[string]*ast.File{}
	interfaces := map[string]bool{}
	for file := range sources(t) {
		text := oktest.Value(os.ReadFile(file))(t)
		tree := oktest.Value(parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution))(t)
		trees[file] = tree
		figures["lines "+file] = bytes.Count(text, []byte("\n"))
		figures["files "+path.Dir(file)]++
		lines[path.Dir(file)] += figures["lines "+file]
		for name, of := range types(tree) {
			if _, is := of.(*ast.InterfaceType); is {
				interfaces[path.Dir(file)+"."+name] = true
			}
		}
	}
	for folder, n := range lines {
		if n < 150 && folder != breaksCycles && !slices.Contains(reachingWebAssembly, folder) {
			figures["small "+folder] = 1
		}
	}
	spread := map[string]map[string]bool{}
	for file, tree := range trees {
		folder := path.Dir(file) + "."
		for name, of := range types(tree) {
			if s, ok := of.(*ast.StructType); ok {
				figures["fields "+folder+name] = s.Fields.NumFields()
				figures["embeds "+folder+name] = embeds(tree, path.Dir(file), s, interfaces)
			}
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := folder + f.Name.Name
			if f.Recv != nil {
				receiver := folder + typeName(f.Recv.List[0].Type)
				name = receiver + "." + f.Name.Name
				figures["methods "+receiver]++
				if spread[receiver] == nil {
					spread[receiver] = map[string]bool{}
				}
				spread[receiver][file] = true
			}
			figures["complexity "+name] = max(figures["complexity "+name], complexity(f))
		}
	}
	for receiver, files := range spread {
		figures["spread "+receiver] = len(files)
	}
	return figures
}

// types returns what a file declares, by name.
func types(tree *ast.File) map[string]ast.Expr {
	found := map[string]ast.Expr{}
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				found[spec.(*ast.TypeSpec).Name.Name] = spec.(*ast.TypeSpec).Type
			}
		}
	}
	return found
}

// typeName returns the name of a type without its package, pointer and parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return e.(*ast.Ident).Name
}

// embeds counts the types of ours, except interfaces, that a struct of a package embeds.
func embeds(tree *ast.File, folder string, s *ast.StructType, interfaces map[string]bool) int {
	n := 0
	for _, field := range s.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		from := folder
		of := field.Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if sel, ok := of.(*ast.SelectorExpr); ok {
			from = imported(tree, sel.X.(*ast.Ident).Name)
		}
		if from != "" && !interfaces[from+"."+typeName(of)] && typeName(of) != "error" {
			n++
		}
	}
	return n
}

// imported returns the folder of a package of ours that a file imports by a name.
func imported(tree *ast.File, name string) string {
	for _, spec := range tree.Imports {
		folder, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
		if ours && (spec.Name == nil && path.Base(folder) == name || spec.Name != nil && spec.Name.Name == name) {
			return folder
		}
	}
	return ""
}

// complexity returns the cyclomatic complexity of a function, with those inside it.
func complexity(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			n += min(len(node.List), 1)
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
