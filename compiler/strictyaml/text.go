package strictyaml

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text writes a text as YAML on one line, in quotes where it would be read as a number, a
// date or anything else that is not that text.
func Text(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		var v any
		if err := yaml.Unmarshal([]byte(s), &v); err == nil && v == any(s) {
			return s
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b) // a text of JSON is one of YAML
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}
