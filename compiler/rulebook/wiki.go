package rulebook

import "github.com/packgen/packgen/compiler/diag"

// wikiRules are about how pages hang together.
func wikiRules() []Rule {
	return []Rule{
		{
			ID: "page-orphan", Severity: diag.Warning, Where: inWiki, Suppress: Anywhere,
			Title: "A page that nobody links to",
			Means: "No page, document, view or entry of the guide leads to the page. The index and the log are not pages in this sense.",
			Why:   "Readers that follow links never reach it.",
			Fix:   "Link to it from wiki/index.md or from a page it belongs to, or set status: archived.",
		},
		{
			ID: "entity-duplicate", Severity: diag.Warning, Where: inWiki + "; headings in every page", Suppress: Anywhere,
			Title: "Two pages for one thing",
			Means: "Two pages have the same title, or one has as its title what the other lists under aliases. Two sections of one page that are headed alike, below one heading, are a remark of severity info: a link to the second leads to the first.",
			Why:   "Facts are added to one and looked up in the other.",
			Fix:   "Merge them, or give them titles that tell them apart.",
		},
		{
			ID: "concept-missing", Severity: diag.Info, Where: inWiki, Suppress: Anywhere,
			Title: "A term without its own page",
			Means: "Several pages link to, or set in bold, the same term, and no page has it as title or alias.",
			Why:   "Each page explains it a little, and none in full.",
			Fix:   "Write a page for it, or add it to the aliases of the page that explains it.",
		},
		{
			ID: "crossref-missing", Severity: diag.Info, Where: inWiki, Suppress: Anywhere,
			Title: "A page is named and not linked",
			Means: "A page mentions the title of another one and never links to it.",
			Why:   "Readers do not learn that there is more.",
			Fix:   "Make the first mention a link.",
		},
	}
}
