package rulebook

import "github.com/packgen/packgen/compiler/diag"

// layerRules are about the optional layers ontology/ and answers/.
func layerRules() []Rule {
	return []Rule{
		{
			ID: "optional-layer-missing", Severity: diag.Warning, Where: inGuide, Suppress: Never,
			Title: "A declared layer is missing",
			Means: "metadata.primaryOntology or metadata.primaryAnswers is set, and the pack has no ontology/ or answers/.",
			Why:   "A tool that trusts the declaration looks for data that does not exist.",
			Fix:   "Add the layer, or drop the field.",
		},
		{
			ID: "optional-layer-undeclared", Severity: diag.Warning, Where: inGuide, Suppress: Never,
			Title: "A layer without a declared main file",
			Means: "The pack has ontology/ or answers/, and neither metadata.primaryOntology nor metadata.primaryAnswers names where to begin.",
			Why:   "Tools find a layer by its declaration.",
			Fix:   "Add metadata.primaryOntology: ontology/ontology.json, or metadata.primaryAnswers: answers/questions.json.",
		},
		{
			ID: "optional-layer-record", Severity: diag.Warning, Where: "ontology/, answers/", Suppress: Never,
			Title: "A record of an optional layer that cannot be used",
			Means: "A record lacks a field, has the id of another one, names a record that does not exist, or has an unknown state. For a file of another form it is a remark of severity info and the file is skipped.",
			Why:   "Tools follow the ids from questions to answers, claims and targets, and drop what they cannot follow.",
			Fix:   "Correct the record.",
		},
	}
}
