package rulebook

import "github.com/packgen/packgen/compiler/diag"

// claimRules are about claims, their sources and the status of files.
func claimRules() []Rule {
	return []Rule{
		{
			ID: "claim-unsourced", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A claim without a source",
			Means: "A list item states something without an anchor to a source, while the pack asks for grounding. It is a warning under grounding: required and info under recommended.",
			Why:   "The claim stays out of the facts, because nobody can check it.",
			Fix:   "Add [source: sources/…#L1], move it to the open questions, or mark it [status: missing].",
		},
		{
			ID: "claim-missing", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A claim marked missing",
			Means: "The author marked a claim as having no source yet.",
			Why:   "It must not be taken for a fact before one is found.",
			Fix:   "Find a source, then replace the marker by an anchor.",
		},
		{
			ID: "claim-inferred", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A claim marked inferred",
			Means: "The author concluded a claim; no source says it.",
			Why:   "A conclusion may be wrong although all it rests on is right.",
			Fix:   "Find a source that says it, then drop the marker.",
		},
		{
			ID: "claim-conflict", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A claim that is disputed elsewhere",
			Means: "A claim of a split is on an open page of wiki/contradictions/, or is confirmed in one place and disputed in another. All claims with these words are disputed until that is settled.",
			Why:   "An agent would state as settled what is not.",
			Fix:   "Settle the contradiction and set its page to ready, or mark the claim [status: disputed].",
		},
		{
			ID: "claim-disputed", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "Disputed text among the splits",
			Means: "A file or claim with the status disputed would enter a split.",
			Why:   "An agent that loads the split sees one side of a dispute.",
			Fix:   "Settle it, or move it to wiki/contradictions/.",
		},
		{
			ID: "claim-stale", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A claim on a source that changed",
			Means: "The place that a claim cites says something else than when the claim was made, or the claim or its file is marked stale. Editing or renaming the file changes nothing about that, and neither does another case, punctuation or anchor.",
			Why:   "The source may no longer say so.",
			Fix:   "Check the claim against the source, then correct its words, mark it [status: confirmed], or drop the marker that calls it stale.",
		},
		{
			ID: "source-changed", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A source changed after the claims on it",
			Means: "The lines or the section that claims of this page cite are not what they were when the claims were made; without such a place in the anchor, the whole source counts.",
			Why:   "These claims are stale until somebody looks: they keep that status when the page is renamed or edited elsewhere, when the source is renamed too, and when a claim or its anchor is only written otherwise.",
			Fix:   "Check the claims against the new text, then correct their words, or their anchors where the cited text has moved; mark those that still hold [status: confirmed].",
		},
		{
			ID: "baseline-lost", Severity: diag.Warning, Where: inPrimary, Suppress: Never,
			Title: "A claim whose record is lost",
			Means: "An earlier compile knew a claim of this page, and no run record says any more what its source said then: the records were deleted, damaged or cut short while compiled/ and indexes/ stayed.",
			Why:   "Whether the source has changed since is not known, and a deleted record would make a stale claim good.",
			Fix:   "Restore runs/ and indexes/ from version control. Otherwise check the claims against their sources and mark them [status: confirmed], or, for all of them, delete compiled/, indexes/ and runs/ and compile again.",
		},
		{
			ID: "source-stale", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "Marked stale",
			Means: "A file has the status stale, or a claim the marker.",
			Why:   "Old evidence must not silently override newer.",
			Fix:   "Check it against a newer source, then drop the marker or status.",
		},
		{
			ID: "source-missing", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "The cited file does not exist",
			Means: "An anchor names a file that the pack does not hold.",
			Why:   "The claim cannot be checked.",
			Fix:   "Add the file, or correct its path.",
		},
		{
			ID: "anchor-unresolved", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "The cited place does not exist",
			Means: "The file of an anchor has no such line or heading, the anchor is not a path below sources/, documents/ or wiki/, or a status marker has an unknown value.",
			Why:   "The claim cannot be checked.",
			Fix:   "Name a line that the file has, or the id of one of its headings.",
		},
		{
			ID: "status-needs-review", Severity: diag.Warning, Where: inPrimary, Suppress: Anywhere,
			Title: "A file that waits for review",
			Means: "The front matter of the file says status: needs-review.",
			Why:   "What it says was not looked at yet.",
			Fix:   "Review the file, then set its status to ready.",
		},
		{
			ID: "contradiction-open", Severity: diag.Info, Where: "wiki/contradictions/", Suppress: Anywhere,
			Title: "An open contradiction",
			Means: "A conflict is recorded where it belongs and is not resolved.",
			Why:   "It is listed among the boundaries, so that no answer takes a side by accident.",
			Fix:   "Resolve it, then set the status of the page to ready.",
		},
		{
			ID: "question-open", Severity: diag.Info, Where: "wiki/open-questions/, documents/open-questions.md", Suppress: Anywhere,
			Title: "An open question",
			Means: "A gap is recorded where it belongs and is not filled.",
			Why:   "It is listed among the boundaries, so that no answer fills it with a guess.",
			Fix:   "Answer it, then set the status of the file to ready.",
		},
		{
			ID: "view-contradicts", Severity: diag.Warning, Where: inViews, Suppress: Anywhere,
			Title: "A view that disagrees with its source",
			Means: "A view states a claim that the primary source calls disputed or stale, or no longer holds.",
			Why:   "Agents read views first and would never see the correction.",
			Fix:   "Compile again. Where that makes the same view, settle the claim in the file that the finding names; where the view is kept by hand, correct it.",
		},
	}
}
