package pack

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
)

// layers are the optional layers of agent-knowledge section 19 with the field that
// names their main file.
var layers = [...]struct{ dir, field string }{
	{"ontology", "metadata.primaryOntology"},
	{"answers", "metadata.primaryAnswers"},
}

// lacksLayer reports a path in an optional layer that the pack does not have at
// all, which is a lesser fault than a missing file.
func (p *Pack) lacksLayer(path string) bool {
	for _, l := range layers {
		if strings.HasPrefix(path, l.dir+"/") && !p.HasDir(l.dir) {
			return true
		}
	}
	return false
}

// checkLayers checks that the optional layers and what KNOWLEDGE.md says of them
// agree (section 19.1).
func (p *Pack) checkLayers(report func(field string, severity diag.Severity, id, message, hint string)) {
	for _, l := range layers {
		_, declared := p.Meta.places[l.field]
		switch has := p.HasDir(l.dir); {
		case declared && !has:
			report(l.field, diag.Warning, "optional-layer-missing", fmt.Sprintf("%s is declared, and the pack has no %s/", l.field, l.dir), "add the layer, or drop the field")
		case has && !declared:
			report("type", diag.Warning, "optional-layer-undeclared", fmt.Sprintf("the pack has %s/, and no %s names its main file", l.dir, l.field),
				fmt.Sprintf("add %s: %s/<file>.json", l.field, l.dir))
		}
	}
	if p.Meta.Type == "content-ontology" && !p.HasDir("ontology") {
		report("type", diag.Error, metadataInvalid, "a pack of type content-ontology needs files in ontology/", "add the layer, or choose another type")
	}
}
