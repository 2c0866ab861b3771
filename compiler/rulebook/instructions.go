package rulebook

import "github.com/packgen/packgen/compiler/diag"

const inRules = "the rule files of an instruction file and their index.json"

const inSkills = "the skills that an instruction file was split into, and others beside them"

// instructionRules are about rule files and their index (loadout section 20.8).
func instructionRules() []Rule {
	return []Rule{
		{
			ID: "rule-missing-index", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "Rule files without an index",
			Means: "The directory of the rule files has no index.json.",
			Why:   "Nothing says which task needs which file.",
			Fix:   "Split the instruction file with packgen rules split, or name the directory with --rules-dir.",
		},
		{
			ID: "rule-invalid-index", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "An index of rule files that cannot be read",
			Means: "index.json is not JSON, or has no entries or no budget.",
			Why:   "No rule file is ever found.",
			Fix:   "Correct it at the line named, or restore it.",
		},
		{
			ID: "rule-missing-ref", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "An entry whose rule file is missing",
			Means: "The path of an entry leads to no file below the repository root.",
			Why:   "A task is sent to nothing.",
			Fix:   "Restore the file, or run packgen rules index, which takes the entry out.",
		},
		{
			ID: "rule-missing-frontmatter", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "A rule file without front matter",
			Means: "The file does not begin with a block between --- lines that has an id.",
			Why:   "The front matter is the truth the index is checked against.",
			Fix:   "Write the block: id, keywords, priority.",
		},
		{
			ID: "rule-skill-invalid", Severity: diag.Error, Where: inSkills, Suppress: Never,
			Title: "A skill that agents do not show",
			Means: "SKILL.md cannot be read, has no description or one that is too long or that of another skill, or its name is not that of its directory or not allowed.",
			Why:   "An agent knows a skill by its name and description alone.",
			Fix:   "Correct the front matter: name is that of the directory, description at most 1,024 characters.",
		},
		{
			ID: "rule-skill-listing", Severity: diag.Warning, Where: inSkills, Suppress: Never,
			Title: "Descriptions of skills that are too long together",
			Means: "Names and descriptions of all skills of a directory have more than 8,000 characters.",
			Why:   "Agents leave out whole descriptions when all of them take too much.",
			Fix:   "Shorten descriptions, or join skills that a task needs together.",
		},
		{
			ID: "rule-skill-length", Severity: diag.Warning, Where: inSkills, Suppress: Never,
			Title: "A skill that is long",
			Means: "SKILL.md has more than 500 lines or 5,000 tokens.",
			Why:   "An agent reads it as a whole when it needs any of it.",
			Fix:   "Move what only some tasks need to files beside it, and name these in SKILL.md.",
		},
		{
			ID: "rule-drift", Severity: diag.Warning, Where: inRules, Suppress: Never,
			Title: "An entry that differs from its rule file",
			Means: "Id, priority, keywords, patterns, triggers, tokens or lines of an entry are not those of the file. A differing id is an error.",
			Why:   "The index routes by outdated values.",
			Fix:   "Run packgen rules index, which makes index.json again from the rule file.",
		},
		{
			ID: "rule-missing-summary", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "A rule without a summary",
			Means: "The summary of an entry is empty.",
			Why:   "A pointer to the rule says nothing.",
			Fix:   "Write one sentence as summary: into the front matter, then run packgen rules index.",
		},
		{
			ID: "rule-long-summary", Severity: diag.Warning, Where: inRules, Suppress: Never,
			Title: "A rule with a long summary",
			Means: "The summary of an entry has more than 120 characters.",
			Why:   "It is cut where it is shown.",
			Fix:   "Write a shorter one as summary: into the front matter, then run packgen rules index.",
		},
		{
			ID: "rule-empty-keywords", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "A rule that no task can call",
			Means: "An entry of priority domain has no keywords.",
			Why:   "It is never loaded.",
			Fix:   "Write keywords into the front matter, or set the priority to manual, then run packgen rules index.",
		},
		{
			ID: "rule-orphan-file", Severity: diag.Warning, Where: inRules, Suppress: Never,
			Title: "A rule file that the index does not name",
			Means: "A .md file is among the rule files without an entry.",
			Why:   "No task leads to it.",
			Fix:   "Run packgen rules index, which adds it, or delete the file.",
		},
		{
			ID: "rule-duplicate-id", Severity: diag.Error, Where: inRules, Suppress: Never,
			Title: "Two rules with one id",
			Means: "An id is in the index more than once.",
			Why:   "Layers are merged by id, so one of them is lost.",
			Fix:   "Rename one.",
		},
		{
			ID: "rule-duplicate-keyword", Severity: diag.Warning, Where: inRules, Suppress: Never,
			Title: "A keyword of several rules",
			Means: "Several entries list the same keyword.",
			Why:   "A task with that word loads all of them.",
			Fix:   "Keep it where it fits best, or leave it if tasks need all of them.",
		},
	}
}
