package rulebook

import "github.com/packgen/packgen/compiler/diag"

// routingRules are about how a loadout index finds the entries of a pack.
func routingRules() []Rule {
	return []Rule{
		{
			ID: "keyword-unreachable", Severity: diag.Warning, Where: "metadata.loadout and front matter", Suppress: Never,
			Title: "A keyword that no task can hit",
			Means: "A declared keyword or pattern holds nothing that the matcher compares, such as only short words or signs. It is left out.",
			Why:   "The entry looks routed and is not.",
			Fix:   "Use words of a task as a person would write it.",
		},
		{
			ID: "entry-unroutable", Severity: diag.Warning, Where: inPrimary, Suppress: Never,
			Title: "An entry without a keyword",
			Means: "No keyword could be declared or derived; the entry is loaded by name only.",
			Why:   "No task will ever select it by itself.",
			Fix:   "Declare keywords under metadata.loadout.",
		},
		{
			ID: "loadout-unknown", Severity: diag.Warning, Where: "metadata.loadout and front matter", Suppress: Anywhere,
			Title: "Routing for something that does not exist",
			Means: "metadata.loadout names a split or view that the pack does not have, or questions or boundary of a page a section that it does not have.",
			Why:   "The words have no effect, and the boundary goes along with no answer, often since a heading was renamed.",
			Fix:   "Use the id as compiled/index.json lists it.",
		},
		{
			ID: "entry-malformed", Severity: diag.Warning, Where: inLayers, Suppress: Never,
			Title: "An entry that cannot be used as written",
			Means: "An entry of a layer lacks what every entry has, or a part of it can never match. The other entries are used.",
			Why:   "What the entry leads to is never loaded.",
			Fix:   "Correct the entry, which is named by its id or place.",
		},
		{
			ID: "entry-unknown", Severity: diag.Error, Where: inLayers, Suppress: Never,
			Title: "No entry of that id",
			Means: "An id was asked for that no layer has.",
			Why:   "It may be misspelt, or its split was renamed.",
			Fix:   "Look the id up with packgen layers.",
		},
		{
			ID: "index-oversize", Severity: diag.Warning, Where: "the loadout index of a build", Suppress: Never,
			Title: "An index near its limits",
			Means: "The index has so many entries or bytes that some reader of it is near its limit, or beyond. One that no program would read is left out: the site has no index.json and no index.bin, and its search and match page work.",
			Why:   "An index that is refused, or left out, routes nothing.",
			Fix:   "Split the repository, cut documents into fewer sections, or archive packs that no task needs.",
		},
		{
			ID: "layer-malformed", Severity: diag.Warning, Where: inLayers, Suppress: Never,
			Title: "A layer that cannot be used",
			Means: "The index of a layer is not JSON, or has another shape. The layer is left out.",
			Why:   "Everything it would route to is missing, or shadowed by another layer.",
			Fix:   "Correct the file at the place named, or write it again with packgen build.",
		},
		{
			ID: "layer-missing", Severity: diag.Warning, Where: inLayers, Suppress: Never,
			Title: "A named layer is missing",
			Means: "The file of a layer that a flag names does not exist.",
			Why:   "The answer comes from fewer layers than was asked for.",
			Fix:   "Correct the path.",
		},
		{
			ID: "layers-none", Severity: diag.Warning, Where: inLayers, Suppress: Never,
			Title: "No layer at all",
			Means: "No loadout index was found where layers are looked for.",
			Why:   "Nothing can be matched.",
			Fix:   "Run packgen build, or name an index with --session.",
		},
		{
			ID: "usage-malformed", Severity: diag.Warning, Where: "the usage log", Suppress: Never,
			Title: "Lines of the usage log that are not events",
			Means: "Some lines could not be read. The others are counted.",
			Why:   "Entries may look unused that are not.",
			Fix:   "Nothing if a crash cut one line short; otherwise check what writes the log.",
		},
	}
}
