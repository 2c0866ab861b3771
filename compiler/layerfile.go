package compiler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
)

// isLayerFile reports the files of the optional layers whose form is known
// (agent-knowledge section 19).
func isLayerFile(name string) bool {
	dir, base, _ := strings.Cut(name, "/")
	known := map[string]string{
		"ontology": " ontology concepts relations claims evidence constraints coverage signals objectives resources" +
			" action-types decision-gates action-logs feedback ",
		"answers": " questions answer-blocks citation-targets source-surfaces structured-data monitoring-runs ",
	}
	stem, ok := strings.CutSuffix(base, ".json")
	return ok && stem != "" && strings.Contains(known[dir], " "+stem+" ")
}

// checkLayer checks that a file of an optional layer is JSON. What it says is data
// that compile does not interpret.
func checkLayer(name string, data []byte) []diag.Diagnostic {
	if !isLayerFile(name) {
		return nil
	}
	text, ok := frontmatter.Decode(data)
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	if ok && err == nil {
		return nil
	}
	d := finding(gateSchemaInvalid, name, "the file is not JSON")
	d.Hint = "correct it; tools that read this layer would skip the file"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && ok {
		before := text[:min(int(syntax.Offset), len(text))]
		d.Line = bytes.Count(before, []byte("\n")) + 1
		d.Column = max(1, len(before)-bytes.LastIndexByte(before, '\n')-1)
		d.Message = fmt.Sprintf("the file is not JSON: %v", syntax)
	}
	return []diag.Diagnostic{d}
}
