package repo

import (
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/strictyaml"
)

// someOf reads a list of strings that is not empty; a single string is a list of
// one.
func someOf(r *strictyaml.Reader, field *[]string, check func(string) error) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind == yaml.ScalarNode && strictyaml.Type(n) == strictyaml.String:
			*field = make([]string, 1)
			r.Checked(&(*field)[0], check)(n)
		case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
			r.Fault(n, "name at least one", "the list is empty")
		default:
			r.List(field, check)(n)
		}
	}
}
