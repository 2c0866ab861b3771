package eval

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// yamlForms are the errors of the YAML decoder, which name Go types and no columns.
var yamlForms = sync.OnceValue(func() (f struct{ line, wrong, unknown, twice *regexp.Regexp }) {
	f.line = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	f.wrong = regexp.MustCompile("^cannot unmarshal !!(\\w+)(?: `(.*)`)? into (.*)$")
	f.unknown = regexp.MustCompile(`^field (.*) not found in type `)
	f.twice = regexp.MustCompile(`^(?:mapping key|key) (".*"|\S+) already (?:defined|set)`)
	return f
})

// yamlFaults turns the error of a YAML decoder into findings for whoever wrote the
// file: each with its line, none with a Go type in it.
func yamlFaults(path string, err error) []diag.Diagnostic {
	lines := []string{err.Error()}
	var types *yaml.TypeError
	if errors.As(err, &types) {
		lines = types.Errors
	}
	var list []diag.Diagnostic
	for _, text := range lines {
		d := diag.Diagnostic{ID: "schema-invalid", Severity: diag.Error, Path: path}
		text = strings.TrimPrefix(text, "yaml: ")
		if m := yamlForms().line.FindStringSubmatch(text); m != nil {
			d.Line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		d.Message = yamlMessage(strings.ReplaceAll(text, "\n", " ")) + "."
		list = append(list, d)
	}
	return list
}

func yamlMessage(text string) string {
	f := yamlForms()
	if m := f.wrong.FindStringSubmatch(text); m != nil {
		found := yamlKind(m[1])
		if m[2] != "" {
			found = fmt.Sprintf("%s %q", found, m[2])
		}
		return fmt.Sprintf("Want %s, found %s", goKind(m[3]), found)
	}
	if m := f.unknown.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("Unknown key %q", m[1])
	}
	if m := f.twice.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("Key %s stands twice", m[1])
	}
	return "The file is not valid YAML: " + text
}

// yamlKind names the kind of a YAML value by its tag.
func yamlKind(tag string) string {
	switch tag {
	case "seq":
		return "a list"
	case "map":
		return "a map"
	case "null":
		return "nothing"
	case "bool":
		return "a truth value"
	case "int", "float":
		return "a number"
	}
	return "a text"
}

// goKind names what a field of a Go type takes.
func goKind(name string) string {
	switch name = strings.TrimPrefix(name, "*"); {
	case strings.HasPrefix(name, "[]"):
		return "a list"
	case name == "string":
		return "a text"
	case name == "bool":
		return "a truth value"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "float"), strings.HasPrefix(name, "uint"):
		return "a number"
	}
	return "a map"
}
