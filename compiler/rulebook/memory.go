package rulebook

import "github.com/packgen/packgen/compiler/diag"

const inStore = "a MEMORY.md and the topic files it refers to"

// memoryRules are about stores of memories (loadout section 19).
func memoryRules() []Rule {
	return []Rule{
		{
			ID: "missing-topic-file", Severity: diag.Error, Where: inStore, Suppress: Never,
			Title: "A reference to a missing file",
			Means: "A line of MEMORY.md refers to a topic file that does not exist in the store.",
			Why:   "The entry leads nowhere, so it is left out of the index and the store is not published.",
			Fix:   "Create the file, correct the path, or remove the line.",
		},
		{
			ID: "topic-outside", Severity: diag.Error, Where: inStore, Suppress: Never,
			Title: "A reference that leads out of the store",
			Means: "The path of a reference climbs above the directory of MEMORY.md.",
			Why:   "A store is read without trust; a path could name any file of the machine.",
			Fix:   "Move the file into the store, or allow files beside it with --outside.",
		},
		{
			ID: "topic-unreadable", Severity: diag.Error, Where: inStore, Suppress: Never,
			Title: "A topic file that cannot be used",
			Means: "The file is a directory, a device or a link out of the store, is larger than 4 MiB, or is not UTF-8 text.",
			Why:   "Nothing is known about it, so it is left out of the index.",
			Fix:   "Replace it by a text of its own in the store.",
		},
		{
			ID: "orphan-topic-file", Severity: diag.Warning, Where: inStore, Suppress: Never,
			Title: "A topic file that nothing refers to",
			Means: "No line of MEMORY.md names the file.",
			Why:   "No task will ever lead to it.",
			Fix:   "Add a reference, or delete the file.",
		},
		{
			ID: "no-refs", Severity: diag.Warning, Where: inStore, Suppress: Never,
			Title: "A MEMORY.md without references",
			Means: "No line refers to a topic file.",
			Why:   "Its index is empty.",
			Fix:   "Write references: Name — description → `path.md`.",
		},
		{
			ID: "index-emptied", Severity: diag.Error, Where: "an index.json that is written again", Suppress: Never,
			Title: "An index that would lose all of its entries",
			Means: "What an index is made of holds nothing that could be read, and the index that would be replaced has entries. Nothing is written.",
			Why:   "References in a form that is not read, or files that are gone, would empty what a hook answers from.",
			Fix:   "Correct the references, or restore the files. Where the index is meant to be empty, add --allow-empty.",
		},
		{
			ID: "index-foreign", Severity: diag.Error, Where: "an index.json that is written again", Suppress: Never,
			Title: "A file that another program wrote",
			Means: "A command would replace a file that it did not write: an index of another command, or no index at all. Nothing is written.",
			Why:   "Programs that rely on that file would lose it.",
			Fix:   "Move the file away, or name another one.",
		},
		{
			ID: "duplicate-ref", Severity: diag.Warning, Where: inStore, Suppress: Never,
			Title: "A topic file referred to more than once",
			Means: "Several lines name the same file, and each makes an entry.",
			Why:   "A task loads it twice, or finds it under two descriptions.",
			Fix:   "Keep the better line.",
		},
		{
			ID: "empty-name", Severity: diag.Warning, Where: inStore, Suppress: Never,
			Title: "A reference without a name",
			Means: "Nothing is before the dash of a reference.",
			Why:   "The entry has no id unless its file names one.",
			Fix:   "Write a name before the dash.",
		},
		{
			ID: "id-too-long", Severity: diag.Warning, Where: inStore, Suppress: Never,
			Title: "An id of more than 60 characters",
			Means: "The id that a reference or its front matter gives is long.",
			Why:   "It takes room in every pointer of the prompt hook.",
			Fix:   "Shorten the name of the reference, or give the file an id in its front matter.",
		},
		{
			ID: "prose-arrow", Severity: diag.Info, Where: inStore, Suppress: Never,
			Title: "Prose that ends in an arrow and a word",
			Means: "The line looks like a reference, but the word names no file: it has neither .md nor a slash.",
			Why:   "It is read as prose. Other tools take it for a reference to a missing file.",
			Fix:   "Nothing, or write the path of a file.",
		},
	}
}
