package lint

import "github.com/packgen/packgen/compiler/diag"

// publishedRules are about published sites and packs: what packgen verify finds,
// and what build leaves out.
func publishedRules() []Rule {
	rule := func(id string, severity diag.Severity, where, title, means, why, mend string) Rule {
		return Rule{ID: id, Severity: severity, Where: where, Suppress: Never, Title: title, Means: means, Why: why, Mend: mend}
	}
	const there = "a published site or pack: manifest.json, pack.json, pack.tar.gz and the files they list"
	return []Rule{
		rule("published-missing", diag.Error, there, "A published file is gone",
			"manifest.json or pack.json lists the file, and it is not there, or not in the archive.",
			"Links lead nowhere, and agents do not get what they were promised.", "Publish again, or restore the file."),
		rule("published-changed", diag.Error, there, "A published file is not what was published",
			"The size, the SHA-256 or the tree hash is not the one recorded. The message has both.",
			"Somebody or something has changed it since, by accident or not.", "Find out what has changed it, then publish again."),
		rule("published-extra", diag.Error, there, "A file that was not published",
			"No record lists the file. Hidden files, and CNAME at the root of a site, may be there.",
			"It is shown to readers, and nobody vouches for it.", "Delete it, or publish again."),
		rule("published-invalid", diag.Error, there, "A record of a publication that cannot be read",
			"manifest.json or pack.json does not fit its schema, or pack.tar.gz is no sound archive.",
			"Nothing can be checked against it.", "Publish again."),
		rule("published-path", diag.Error, inPack, "A file name that nobody could unpack",
			"A file, or a split that is made of a heading, has a name that Windows reserves, such as aux, con or nul, one with a colon, one that ends in a dot or a blank, or a name that differs from another one only in letter case or Unicode form.",
			"An archive with such a name is refused whole wherever it is pulled: on some system it would be another file, a device, or none.", "Rename the file, or the heading that the split begins with."),
		rule("published-too-large", diag.Warning, inPack, "A file too large to publish",
			"The file has more than 64 MiB and is left out of the pack's archive.",
			"No reader of archives takes so large a file.", "Keep it out of the pack, or move it to sources/."),
	}
}
