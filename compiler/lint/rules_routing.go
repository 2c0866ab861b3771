package lint

import "github.com/packgen/packgen/compiler/diag"

// routingRules are about how a loadout index finds the entries of a pack.
func routingRules() []Rule {
	return []Rule{
		{
			ID: "keyword-unreachable", Severity: diag.Warning, Where: "metadata.loadout and front matter", Suppress: Never,
			Title: "A keyword that no task can hit",
			Means: "A declared keyword or pattern holds nothing that the matcher compares, such as only short words or signs. It is left out.",
			Why:   "The entry looks routed and is not.",
			Mend:  "Use words of a task as a person would write it.",
		},
		{
			ID: "entry-unroutable", Severity: diag.Warning, Where: inPrimary, Suppress: Never,
			Title: "An entry without a keyword",
			Means: "No keyword could be declared or derived; the entry is loaded by name only.",
			Why:   "No task will ever select it by itself.",
			Mend:  "Declare keywords under metadata.loadout.",
		},
		{
			ID: "loadout-unknown", Severity: diag.Warning, Where: inGuide, Suppress: Anywhere,
			Title: "Routing for something that does not exist",
			Means: "metadata.loadout names a split or view that the pack does not have.",
			Why:   "The keywords have no effect, often since a heading was renamed.",
			Mend:  "Use the id as compiled/index.json lists it.",
		},
	}
}
