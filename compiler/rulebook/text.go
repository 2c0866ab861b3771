package rulebook

import "github.com/packgen/packgen/compiler/diag"

// textRules are about the text of files: what it hides, where it leads, what was
// switched off in it.
func textRules() []Rule {
	return []Rule{
		{
			ID: "injection-suspect", Severity: diag.Warning, Where: inTexts, Suppress: ByLine,
			Title: "Instruction-like text",
			Means: "The text reads like an order to a model: ignore previous instructions, take on a role, hide something from the user, run a download; or it holds invisible characters or comments. Character references, look-alike letters and markup inside words hide nothing. Quoted, denied or merely named it is a remark of severity info.",
			Why:   "Text of a pack reaches a model. It is fenced as data, but a fence is safer when what it encloses is harmless.",
			Fix:   "Remove it. Where a page is about such text, put it in a code span, a fence or quotation marks.",
		},
		{
			ID: "secret-suspect", Severity: diag.Error, Milder: true, Where: inPack, Suppress: ByLine,
			Title: "A likely secret",
			Means: "The file holds a private key, a token in the format of a provider, or a value that the text itself calls a password: an error. What contains it is withheld from views, indexes and the site, and a file or directory with one in its name is left out of the pack. A string that only looks random, such as the value of a token or of a request header, is a warning, and its text is published.",
			Why:   "What is published once cannot be taken back.",
			Fix:   "Revoke the secret, remove it from the file and from the history of the repository. In examples write a placeholder, such as AKIAEXAMPLE or <your token>. Where packgen is wrong, accept the value with a comment on the line above.",
		},
		{
			ID: "raw-copy", Severity: diag.Warning, Where: inViews + ", against sources/", Suppress: Anywhere,
			Title: "A passage copied from a source",
			Means: "60 or more words in a row of a view or split are in one file of sources/.",
			Why:   "Views are for digested facts. Raw text is long, may be protected, and brings along whatever was hidden in it.",
			Fix:   "Say it in your own words with an anchor to the source, or quote less.",
		},
		{
			ID: "ref-broken", Severity: diag.Warning, Where: inGuide + ", " + inUnits + ", " + inViews, Suppress: Anywhere,
			Title: "A link that leads nowhere",
			Means: "The file or heading that a link, an entry of the context map or a [[name]] means does not exist, or a picture is not one that the site publishes. An absolute path is a remark of severity info.",
			Why:   "Agents follow links as people do, and fill the gap with a guess.",
			Fix:   "Correct the target; the hint names what is most like it.",
		},
		{
			ID: "link-loose", Severity: diag.Info, Where: inGuide + ", " + inUnits, Suppress: Anywhere,
			Title: "A link that works here and not everywhere",
			Means: "The link differs from the file it means by case, or has the ending .html of a published page where the file has .md. It leads to the file on the site.",
			Why:   "GitHub and most editors take the path as it is written and find nothing.",
			Fix:   "packgen check --fix writes the path as it is.",
		},
		{
			ID: "link-dropped", Severity: diag.Warning, Where: inGuide + ", " + inUnits, Suppress: Never,
			Title: "A link with an address that no page has",
			Means: "The address of a link begins with javascript:, data: or the like, or with a scheme that another system resolves, such as xref:. The page shows its text without it. A scheme of the second kind is reported once for a pack, as information.",
			Why:   "An address of the first kind runs code in the reader's browser; of the second kind a browser knows nothing.",
			Fix:   "Link to a page, or remove the link.",
		},
		{
			ID: "svg-refused", Severity: diag.Warning, Where: "SVG files that a site would publish", Suppress: Never,
			Title: "A drawing that could run something",
			Means: "The drawing has a script, a handler, a stylesheet, an animation, text in HTML, or an address outside itself, or is not well-formed XML. It is left out of the site, and each picture of it and link to it is ref-broken.",
			Why:   "A drawing that is opened by its own address is a page of the site, and runs like one.",
			Fix:   "Export it as a plain drawing, or publish it as a PNG.",
		},
		{
			ID: "file-unpublished", Severity: diag.Warning, Where: inUnits, Suppress: Never,
			Title: "A link to a file that the site does not publish",
			Means: "A page links to a file of the pack that is not one of those a browser shows, plays or saves, such as a script or HTML, or is larger than 64 MiB. The archive of the pack holds it, the site does not.",
			Why:   "The link leads nowhere on the site.",
			Fix:   "Link to where the file is published, or show it as text in the page.",
		},
		{
			ID: "encoding-invalid", Severity: diag.Error, Where: inPrimary + "; boot.yml", Suppress: Never,
			Title: "Not UTF-8 text",
			Means: "The file is not UTF-8, holds a NUL byte, or is too large to be read as text. A role says a binary file, such as a picture.",
			Why:   "Its text cannot be cut, hashed or shown in a defined way.",
			Fix:   "Save it as UTF-8; move data to sources/ or assets/. Let a role refer to a binary file instead of saying it.",
		},
		{
			ID: "markdown-limit", Severity: diag.Warning, Where: inUnits, Suppress: Never,
			Title: "Markdown beyond a limit",
			Means: "A paragraph, table or nesting is larger than packgen reads as Markdown. The rest is taken as plain text.",
			Why:   "The work of a parser grows faster than such text.",
			Fix:   "Break it up, or put it into a fence.",
		},
		{
			ID: "suppression-invalid", Severity: diag.Warning, Where: "Markdown files", Suppress: Never,
			Title: "A suppression that cannot be used",
			Means: "A packgen-disable comment has no reason, names an unknown rule, or one that may not be switched off in this way.",
			Why:   "A finding that was silenced without a reason is found again by the next reader, who knows no more.",
			Fix:   "Write <!-- packgen-disable-next-line RULE: reason --> for a line, or <!-- packgen-disable RULE: reason --> for the rest of the file.",
		},
		{
			ID: "suppression-unused", Severity: diag.Info, Where: "Markdown files", Suppress: Never,
			Title: "A suppression without effect",
			Means: "Nothing is reported where the comment would silence it.",
			Why:   "It would silence the next finding, which nobody has looked at.",
			Fix:   "Remove the comment.",
		},
	}
}
