package rulebook

import "github.com/packgen/packgen/compiler/diag"

const (
	inExports = "an export"
	inImports = "an import"
)

// exchangeRules are about packs that go to other systems and come from them.
func exchangeRules() []Rule {
	return []Rule{
		{
			ID: "export-limit", Severity: diag.Warning, Where: inExports, Suppress: Never,
			Title: "More than the reader of a format takes",
			Means: "A description, a text or a list is longer than the agents that read the format accept or read.",
			Why:   "They cut it, or leave the whole file out, and say nothing.",
			Fix:   "Shorten what the finding names, or split it.",
		},
		{
			ID: "export-left-out", Severity: diag.Warning, Where: inExports, Suppress: Never,
			Title: "Something that a format has no place for",
			Means: "A page, a file or a name of the pack is not in the export as it is in the pack.",
			Why:   "Who reads the export does not see what is missing.",
			Fix:   "Export another kind, or change the page as the finding says.",
		},
		{
			ID: "export-marked", Severity: diag.Warning, Where: inExports, Suppress: Never,
			Title: "Something that is not confirmed, and marked for that",
			Means: "Claims of the pack are stale or disputed, or the pack itself is a draft, needs review, is stale or disputed. The export marks each such claim, and says the status at the beginning of each page.",
			Why:   "An agent that reads the export would take for a fact what nobody has confirmed.",
			Fix:   "Confirm or correct the claims that packgen check names, or review the pack and set its status.",
		},
		{
			ID: "export-name-taken", Severity: diag.Error, Where: inExports, Suppress: Never,
			Title: "Two packs of one name",
			Means: "Two packs, skills or files would have the same name, or names that only letter case distinguishes.",
			Why:   "One would replace the other.",
			Fix:   "Rename one, or export them to two directories.",
		},
		{
			ID: "export-not-ours", Severity: diag.Error, Where: inExports, Suppress: Never,
			Title: "Somebody else's file is in the way",
			Means: "Where a file is to be written there is one that packgen has not written, or that was edited since.",
			Why:   "Other people's files are never overwritten, and an edit would be lost.",
			Fix:   "Move the file away, or name another directory. Make an edit in the pack instead.",
		},
		{
			ID: "import-left-out", Severity: diag.Warning, Where: inImports, Suppress: Never,
			Title: "Something that a pack has no place for",
			Means: "A file, a key or a text of the folder is not in the pack.",
			Why:   "The pack holds less than the folder did.",
			Fix:   "Do what the finding says, or leave it.",
		},
		{
			ID: "import-unusable", Severity: diag.Error, Where: inImports, Suppress: Never,
			Title: "A folder that cannot become a pack",
			Means: "The folder holds nothing of the kind named, or its name cannot be that of a pack.",
			Why:   "Nothing was written.",
			Fix:   "Name the folder that holds it, and a name with --name.",
		},
	}
}
