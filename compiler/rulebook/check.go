package rulebook

import "github.com/packgen/packgen/compiler/diag"

// inIndexes is where the rules about loadout indexes look.
const inIndexes = "a loadout index: the one made from the packs, and files named with --index"

// checkRules are about the repository as a whole: its files, what compile wrote
// into it, and its evals.
func checkRules() []Rule {
	return []Rule{
		{
			ID: "text-untidy", Severity: diag.Info, Where: "KNOWLEDGE.md and " + inUnits + ", .gitattributes", Suppress: Anywhere,
			Title: "Bytes that no reader sees",
			Means: "The file begins with a byte-order mark, ends lines with a carriage return, or does not end in one line feed. Or no .gitattributes keeps git from changing the line ends of packs; where git has done so, that is a warning.",
			Why:   "Compile reads past them, but tools that compare files show whole files as changed.",
			Fix:   "Run packgen check --fix. For .gitattributes, add the line /packs/** text=auto eol=lf.",
		},
		{
			ID: "entry-unreached", Severity: diag.Info, Where: "evals/routing.yaml", Suppress: Never,
			Title: "Entries that no routing golden reaches",
			Means: "The pack has routing goldens, and none of the tasks of the repository selects these entries.",
			Why:   "Nobody would notice when tasks no longer lead to them.",
			Fix:   "Add a task that needs them to evals/routing.yaml.",
		},
	}
}

// indexRules are about the shape of a loadout index and about entries that match
// badly (loadout sections 16 and 17).
func indexRules() []Rule {
	rule := func(id string, severity diag.Severity, title, means, why, fix string) Rule {
		return Rule{ID: id, Severity: severity, Where: inIndexes, Suppress: Never, Title: title, Means: means, Why: why, Fix: fix}
	}
	const readers = "Readers of the index skip the entry, or fail."
	return []Rule{
		rule("missing-version", diag.Error, "An index without a version", "The index has no version field.",
			"Readers cannot know which rules it follows.", "run packgen build to write it again"),
		rule("missing-generated", diag.Warning, "An index without a time", "The index does not say when it was made.",
			"Readers cannot distinguish an old index from a new one.", "run packgen build to write it again"),
		rule("invalid-entries", diag.Error, "An index without entries", "The entries of the index are not a list.",
			"Nothing can be matched.", "run packgen build to write it again"),
		rule("missing-id", diag.Error, "An entry without an id", "An entry has no id, or an empty one.", readers, "Give it an id of its own in kebab-case."),
		rule("bad-id-format", diag.Warning, "An id that is not kebab-case", "The id has other characters than a to z, 0 to 9 and single dashes.",
			"Tools put ids into file names and commands.", "Rename the entry."),
		rule("duplicate-id", diag.Error, "Two entries with one id", "Several entries of one index have the same id.",
			"Only one of them can be loaded by name, and readers disagree which.", "Rename all but one."),
		rule("missing-path", diag.Error, "An entry without a path", "The entry does not say which file to load.", readers, "Add the path of the file."),
		rule("invalid-priority", diag.Error, "An unknown priority", "The priority is not core, domain or manual.",
			"It is scored like domain, which may not be what was meant.", "Write core, domain or manual."),
		rule("missing-summary", diag.Error, "An entry without a summary", "The entry has no summary.",
			"The summary is what an agent sees before it loads.", "Say in one line what the entry holds."),
		rule("long-summary", diag.Warning, "A long summary", "The summary has more than 120 characters.",
			"Summaries of all entries are read at every task.", "Shorten it to one sentence."),
		rule("empty-keywords", diag.Error, "An entry without keywords", "An entry of priority domain has no keywords.",
			"No task can select it.", "Add keywords, or set its priority to manual."),
		rule("bad-token-est", diag.Warning, "An unusable token estimate", "The estimate is missing, negative or not a number.",
			"Budgets count the entry as nothing.", "Write the estimate as a whole number."),
		rule("negative-budget", diag.Warning, "A negative budget", "A sum of the index's budget is below zero.",
			"Plans that trust it load too much.", "run packgen build to write it again"),
		rule("control-character", diag.Warning, "A control character in an id or a summary", "The id or summary holds a line break or another control character.",
			"Put into a prompt, it can forge a line there.", "Write the text on one line."),
		rule("unreachable-keyword", diag.Warning, "A keyword or pattern that no task can hit",
			"The keyword has upper-case letters, signs or only short words, which the matcher never compares.",
			"The entry looks routed and is not.", "Write words of two or more letters a to z or digits, in lower case."),
		rule("generic-keyword", diag.Warning, "A keyword that hits too many entries", "More than ten entries and more than a fifth of all share the word.",
			"A task with that word loads all of them.", "Use a phrase that tells the entries apart."),
		rule("repeated-keyword", diag.Warning, "A keyword listed twice", "The entry lists a keyword more than once.",
			"It weighs more than the others.", "List it once."),
		rule("keyword-overlap", diag.Warning, "Keywords that entries share", "A declared keyword appears in more than ten entries that are more than a fifth of all, or two entries have exactly the same keywords.",
			"A task that says the word loads them all, and entries with the same keywords always match together.", "Give each entry words that the others lack, or merge those that are about one thing."),
		rule("diluted-keywords", diag.Warning, "Too many keywords", "The entry has so many keywords that one hit scores below the threshold.",
			"It loads only for tasks that use many of them.", "Keep the ten most telling ones, or split the entry."),
	}
}

// declaredRules are about keywords and summaries as authors declare them.
func declaredRules() []Rule {
	rule := func(id, title, means, why, fix string) Rule {
		return Rule{ID: id, Severity: diag.Warning, Where: "metadata.loadout and front matter", Suppress: Never, Title: title, Means: means, Why: why, Fix: fix}
	}
	return []Rule{
		rule("keyword-generic", "A keyword that any task may say", "A declared keyword is a common word of English.",
			"Tasks that have nothing to do with the text load it.", "Use a word or a phrase that only tasks about this text hold."),
		rule("keyword-repeated", "Two keywords that weigh as one", "One declared keyword hits whenever another of the same entry does.",
			"A single word of a task counts twice.", "Keep one of them."),
		rule("keywords-diluted", "Too many declared keywords", "The entry declares so many keywords that one hit scores below the threshold.",
			"It loads only for tasks that use many of them.", "Keep the most telling ones, or split the text."),
		rule("summary-control", "A summary with hidden characters", "A declared summary has a line break, a control or an invisible character.",
			"It is shown to agents as one line of a prompt, where a line break can forge another.", "Write it on one line, in plain characters."),
	}
}
