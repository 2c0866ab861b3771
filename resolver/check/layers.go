package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
)

const idLayerRecord = "optional-layer-record"

// layerShape is what is known about the records of one file of an optional layer
// (agent-knowledge section 19).
type layerShape struct {
	needs  []string            // fields that every record has
	values map[string][]string // fields with a closed list of values
	refs   map[string]string   // fields that hold ids of records of another file
}

// layerShapes are the files whose records are looked into. The others are data of
// whatever form, of which compile checks that they are JSON.
func layerShapes() map[string]layerShape {
	evidence := []string{"verified", "weak", "needs-verification", "forbidden"}
	return map[string]layerShape{
		"ontology/concepts.json":  {needs: []string{"id"}},
		"ontology/relations.json": {},
		"ontology/claims.json":    {needs: []string{"id"}, values: map[string][]string{"evidenceStatus": evidence}},
		"ontology/evidence.json":  {values: map[string][]string{"state": evidence, "evidenceStatus": evidence}},
		"ontology/coverage.json": {values: map[string][]string{
			"state": {"ready", "missing-evidence", "missing-material", "needs-review", "blocked", "covered"},
		}},
		"answers/questions.json": {
			needs: []string{"id", "question"},
			refs:  map[string]string{"answerBlockIds": "answers/answer-blocks.json", "targetEntityIds": "ontology/concepts.json"},
		},
		"answers/answer-blocks.json": {
			needs:  []string{"id", "answer", "claimIds", "citationTargetIds", "evidenceStatus", "reviewStatus", "lastReviewed"},
			values: map[string][]string{"evidenceStatus": evidence},
			refs:   map[string]string{"claimIds": "ontology/claims.json", "citationTargetIds": "answers/citation-targets.json"},
		},
		"answers/citation-targets.json": {needs: []string{"id"}, values: map[string][]string{
			"targetKind": {"page", "section", "paragraph", "table", "figure", "video-transcript", "data-point"},
		}},
		"answers/monitoring-runs.json": {
			values: map[string][]string{"answerPresence": {"absent", "mentioned", "cited", "primary", "incorrect"}},
			refs:   map[string]string{"questionId": "answers/questions.json", "citationTargetIds": "answers/citation-targets.json"},
		},
	}
}

// layerFile is a file of an optional layer with its records.
type layerFile struct {
	path    string
	records []map[string]any
	numbers []int // place of each record in its list, 1-based
	ids     map[string]bool
	found   []diag.Diagnostic
}

// maxLayerFindings is how many findings one file of a layer gets.
const maxLayerFindings = 20

func (f *layerFile) say(severity diag.Severity, hint, format string, args ...any) {
	if len(f.found) < maxLayerFindings {
		f.found = append(f.found, diag.Diagnostic{ID: idLayerRecord, Severity: severity, Path: f.path, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// layers checks the records of the optional layers: that those which refer to each
// other by id can be distinguished and exist, and that states are known ones. What they say
// is data and not interpreted. Files of another form are another tool's; they are
// reported and skipped.
func layers(p *pack.Pack) ([]diag.Diagnostic, error) {
	shapes := layerShapes()
	files := map[string]*layerFile{}
	var order []*layerFile
	for _, entry := range slices.Concat(p.List("answers"), p.List("ontology")) {
		shape, known := shapes[entry.Path]
		if !known || entry.Size > maxLayer {
			continue
		}
		data, err := p.ReadFile(entry.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", entry.Path, err)
		}
		if f := readLayer(entry.Path, data); f != nil {
			f.check(&shape)
			files[f.path] = f
			order = append(order, f)
		}
	}
	var list []diag.Diagnostic
	for _, f := range order {
		f.checkRefs(shapes[f.path].refs, files)
		list = append(list, f.found...)
	}
	return list, nil
}

// maxLayer is the largest file of a layer that is looked into, in bytes.
const maxLayer = 16 << 20

// readLayer reads the records of a file: an array, or an object with exactly one
// array of objects in it. Nil when it is not JSON, which compile reports.
func readLayer(name string, data []byte) *layerFile {
	text, ok := frontmatter.Decode(data)
	var value any
	if !ok || json.Unmarshal(text, &value) != nil {
		return nil
	}
	f := &layerFile{path: name, ids: map[string]bool{}}
	list, ok := value.([]any)
	if object, isObject := value.(map[string]any); isObject {
		arrays := 0
		for _, v := range object {
			if inner, isList := v.([]any); isList && len(inner) > 0 {
				if _, isRecord := inner[0].(map[string]any); isRecord {
					list, arrays = inner, arrays+1
				}
			}
		}
		ok = arrays == 1 || len(object) == 0
	}
	if !ok {
		f.say(diag.Info, "leave it: packgen skips it", "the file holds no list of records; another tool wrote it")
		return f
	}
	for i, v := range list {
		record, isRecord := v.(map[string]any)
		if !isRecord {
			f.say(diag.Warning, "write an object", "record %d is not an object", i+1)
			continue
		}
		f.records = append(f.records, record)
		f.numbers = append(f.numbers, i+1)
	}
	return f
}

// check looks at each record by itself.
func (f *layerFile) check(shape *layerShape) {
	for i, r := range f.records {
		name := fmt.Sprintf("record %d", f.numbers[i])
		if id, _ := r["id"].(string); id != "" {
			name = fmt.Sprintf("record %q", id)
			if f.ids[id] {
				f.say(diag.Warning, "give each record an id of its own", "two records have the id %q", id)
			}
			f.ids[id] = true
		}
		var lacks []string
		for _, field := range shape.needs {
			if v, ok := r[field]; !ok || v == nil || v == "" {
				lacks = append(lacks, field)
			}
		}
		if len(lacks) > 0 {
			f.say(diag.Warning, "add what is missing, or say that it is unknown", "%s has no %s", name, strings.Join(lacks, ", "))
		}
		for _, field := range slices.Sorted(maps.Keys(shape.values)) {
			text, isText := r[field].(string)
			if v, ok := r[field]; ok && (!isText || !slices.Contains(shape.values[field], text)) {
				f.say(diag.Warning, "write write one of "+strings.Join(shape.values[field], ", "), "%s has the %s %s", name, field, shortJSON(v))
			}
		}
	}
}

// checkRefs looks for the records that others name. A missing file is not an
// error: a pack may have parts of a layer.
func (f *layerFile) checkRefs(refs map[string]string, files map[string]*layerFile) {
	for _, field := range slices.Sorted(maps.Keys(refs)) {
		to := files[refs[field]]
		if to == nil || to.records == nil {
			continue
		}
		for _, r := range f.records {
			for _, id := range idsOf(r[field]) {
				if !to.ids[id] {
					f.say(diag.Warning, "correct the id, or add the record", "%s names %q, which %s does not have", field, id, path.Base(to.path))
				}
			}
		}
	}
}

// idsOf reads an id, or a list of ids.
func idsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if id, ok := item.(string); ok {
				list = append(list, id)
			}
		}
		return list
	}
	return nil
}

func shortJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil || len(text) > 60 {
		return "that is too long"
	}
	return string(text)
}
