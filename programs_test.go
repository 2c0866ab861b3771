package packgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// starts lists all calls that start a program or look for one, by file and function, with the
// reason why a checkout chooses neither the program nor what it does. Whoever adds one writes
// the reason: a repository that somebody has just cloned never has a program of its choice
// run. Look for programs with scratch.FindProgram; run those that are asked for a login in an
// empty directory with scratch.Output; ask git by the method Git of a workspace.
var starts = map[string]string{
	"compiler/scratch/program.go FindProgram exec.LookPath":                     "absolute paths alone: directories of PATH that are relative, or the working one, are passed over",
	"compiler/store/remote/client/credentials.go askHelper exec.CommandContext": "the helper is named by a variable of the environment and found by scratch.FindProgram",
	"resolver/repo/git.go Run exec.CommandContext":                              "git, found by scratch.FindProgram, with commands and settings that start nothing",
	"resolver/remote/login/docker.go helper exec.CommandContext":                "the helper is named by the user's configuration of Docker and found by scratch.FindProgram",
	"resolver/remote/signature/program.go Ask exec.CommandContext":              "packgen-sign, beside the running program or found by scratch.FindProgram",
	"resolver/agent/doctor/wiredchecks.go handshake exec.CommandContext":        "the running program",
	"resolver/agent/doctor/memorychecks.go hookLatency exec.CommandContext":     "the running program, or packgen-hook beside it",
	"resolver/agent/doctor/wiredchecks.go isMissing exec.LookPath":              "the program that an agent's file names is looked for, and not started",
	"resolver/agent/doctor/memorychecks.go hookDrift exec.LookPath":             "the program that an agent's file names is looked for, and not started",
	"cmd/packgen/serve.go openBrowser exec.Command":                             "the system's opener of addresses, found by scratch.FindProgram, in the directory it lies in",
	"assets/wasm/build/main.go build exec.Command":                              "go, in this repository: no part of packgen",
	"assets/wasm/build/main.go toolchain exec.Command":                          "go, in this repository: no part of packgen",
	"cmd/packgentest/program.go goTool exec.Command":                            "for tests: no part of packgen",
	"cmd/packgentest/run.go Run exec.CommandContext":                            "for tests: no part of packgen",
}

// starters are the functions of a package that start a program or look for one; nil is all
// functions of it.
var starters = map[string][]string{
	"os/exec":                  {"Command", "CommandContext", "LookPath"},
	"os":                       {"StartProcess"},
	"syscall":                  {"Exec", "ForkExec", "StartProcess", "CreateProcess"},
	"plugin":                   nil,
	"golang.org/x/sys/unix":    {"Exec"},
	"golang.org/x/sys/windows": {"CreateProcess", "ShellExecute"},
	"oras.land/oras-go/v2/registry/remote/credentials": nil, // Docker's helpers
}

func TestNoProgramIsStartedThatACheckoutChooses(t *testing.T) {
	seen := map[string]bool{}
	for file := range sources(t) {
		tree := oktest.Value(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
		imports := map[string]string{} // name in the file → package
		for _, spec := range tree.Imports {
			from := oktest.Value(strconv.Unquote(spec.Path.Value))(t)
			name := path.Base(from)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = from
		}
		for _, d := range tree.Decls {
			where := "declaration"
			if f, ok := d.(*ast.FuncDecl); ok {
				where = f.Name.Name
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if call := started(n, imports); call != "" {
					seen[file+" "+where+" "+call] = true
				}
				return true
			})
		}
	}
	for call := range seen {
		if starts[call] == "" {
			t.Errorf("%s: say in the list why a checkout does not choose the program", call)
		}
	}
	for call := range starts {
		if !seen[call] {
			t.Errorf("the list names %s, which is no more", call)
		}
	}
}

// started names what a node uses of the functions that start a program; "" for nothing. A
// command that is written as a value of its type counts, too.
func started(n ast.Node, imports map[string]string) string {
	if value, ok := n.(*ast.CompositeLit); ok {
		if of, ok := value.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Cmd" {
			return selected(of, imports, []string{"Cmd"})
		}
		return ""
	}
	of, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := of.X.(*ast.Ident)
	if !ok {
		return ""
	}
	names, known := starters[imports[x.Name]]
	if !known {
		return ""
	}
	return selected(of, imports, names)
}

// selected is a name of a package as it is written, when it is one of those; nil is any.
func selected(of *ast.SelectorExpr, imports map[string]string, names []string) string {
	x, ok := of.X.(*ast.Ident)
	if !ok || names != nil && !slices.Contains(names, of.Sel.Name) {
		return ""
	}
	return strings.Join([]string{path.Base(strings.TrimSuffix(imports[x.Name], "/v2")), of.Sel.Name}, ".")
}
