package rulebook

import "github.com/packgen/packgen/compiler/diag"

// outputRules are about what compile writes.
func outputRules() []Rule {
	return []Rule{
		{
			ID: "path-collision", Severity: diag.Error, Where: inPrimary, Suppress: Never,
			Title: "Two outputs with one path",
			Means: "Two splits would be written to paths that are equal on some file system. The first is written, the other is not.",
			Why:   "One text would silently replace the other.",
			Fix:   "Rename the file, or give the heading another id with {#id}.",
		},
		{
			ID: "schema-invalid", Severity: diag.Error, Milder: true, Where: "compiled/index.json, indexes/, runs/, evals/", Suppress: Never,
			Title: "A record that does not fit its schema",
			Means: "A JSON record has an unknown field, lacks one, or has a value of the wrong type. For a record that another tool wrote it is a warning and the record is skipped.",
			Why:   "A record that is read wrongly is worse than one that is not read.",
			Fix:   "Delete the record and let compile write it again, or correct it.",
		},
		{
			ID: "source-map-contradicts", Severity: diag.Warning, Where: "indexes/source-map.json", Suppress: Never,
			Title: "A source map that contradicts its pack",
			Means: "The source map names a claim, section, source, anchor or output that the pack does not have, or an id twice. Where outputs are merely outdated it is a remark of severity info.",
			Why:   "An index is generated: the next compile overwrites changes to it.",
			Fix:   "Run packgen compile. Move anything that is only there into a document.",
		},
		{
			ID: "view-hand-edited", Severity: diag.Warning, Where: inViews, Suppress: Never,
			Title: "A compiled file was edited by hand",
			Means: "The file is no longer what compile wrote. It is kept as it is.",
			Why:   "It does not follow its source any more.",
			Fix:   "Move the change into the primary source, or compile with --force to overwrite it.",
		},
		{
			ID: "view-hand-made", Severity: diag.Info, Where: inViews, Suppress: Never,
			Title: "A view made by hand",
			Means: "The view was not written by compile. It is kept and listed in the index.",
			Why:   "Nothing updates it when the primary source changes.",
			Fix:   "Nothing, as long as somebody maintains it.",
		},
		{
			ID: "legacy-view", Severity: diag.Info, Where: inViews, Suppress: Never,
			Title: "A view under an old name",
			Means: "A file such as compiled/brief.md has a name that older tools used.",
			Why:   "It is easily taken for the current view.",
			Fix:   "Rename or delete it.",
		},
		{
			ID: "split-oversize", Severity: diag.Info, Where: inPrimary, Suppress: Anywhere,
			Title: "A split that is too long",
			Means: "A section is longer than the soft limit and has no headings where it could be cut.",
			Why:   "An agent that needs one sentence of it pays for all.",
			Fix:   "Add headings, so that it can be cut.",
		},
		{
			ID: "document-empty", Severity: diag.Info, Where: inPrimary, Suppress: Never,
			Title: "A file without text",
			Means: "The file has no heading and no text, so it gives no split.",
			Why:   "A link to it leads to nothing.",
			Fix:   "Write something, or set status: draft.",
		},
		{
			ID: "outputs-outdated", Severity: diag.Warning, Where: inViews, Suppress: Never,
			Title: "Compiled outputs that no longer fit their pack",
			Means: "The pack was never compiled, or was edited since, so what is measured or shown is an older state of it.",
			Why:   "A result would be held against the pack as it is now, and is about the one before.",
			Fix:   "Compile the pack, then ask again.",
		},
		{
			ID: "config-invalid", Severity: diag.Error, Where: "packgen.yaml", Suppress: Never,
			Title: "A setting that cannot be used",
			Means: "The configuration is broken YAML, or has an unknown key or a value of the wrong type.",
			Why:   "A setting that is silently ignored is found out too late.",
			Fix:   "Correct the value at the place named.",
		},
		{
			ID: "init-blocked", Severity: diag.Error, Where: "the directory that packgen init writes into", Suppress: Never,
			Title: "Something is in the way of a new repository",
			Means: "A file, directory or link is where packgen init would write, or packgen.yaml leaves the new pack out. Nothing was written.",
			Why:   "No file of yours is ever overwritten.",
			Fix:   "Name another pack or directory, or move away what is named.",
		},
	}
}
