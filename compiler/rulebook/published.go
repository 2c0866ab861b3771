package rulebook

import "github.com/packgen/packgen/compiler/diag"

// publishedRules are about published sites and packs: what packgen verify finds,
// and what build leaves out.
func publishedRules() []Rule {
	rule := func(id string, severity diag.Severity, where, title, means, why, fix string) Rule {
		return Rule{ID: id, Severity: severity, Where: where, Suppress: Never, Title: title, Means: means, Why: why, Fix: fix}
	}
	const there = "a published site or pack: manifest.json, pack.json, pack.tar.gz and the files they list"
	return []Rule{
		rule("published-missing", diag.Error, there, "A published file is gone",
			"manifest.json or pack.json lists the file, but it is missing, or missing from the archive.",
			"Links lead nowhere, and agents do not get what they were promised.", "Publish again, or restore the file."),
		rule("published-changed", diag.Error, there, "A published file is not what was published",
			"The size, the SHA-256 or the tree hash is not the one recorded. The message has both.",
			"Somebody or something has changed it since, by accident or not.", "Find out what has changed it, then publish again."),
		rule("published-extra", diag.Error, there, "A file that was not published",
			"No record lists the file. On a site hidden files, and CNAME at its root, may be there; in a pack nothing may.",
			"Readers see it, and no record covers it.", "Delete it, or publish again."),
		rule("published-invalid", diag.Error, there, "A record of a publication that cannot be read",
			"manifest.json or pack.json does not fit its schema, or pack.tar.gz is not a sound archive.",
			"Nothing can be checked against it.", "Publish again."),
		rule("published-path", diag.Error, inPack, "A pack that cannot be unpacked",
			"The name of the pack is one that Windows reserves for a device, such as aux, con or nul. Or the names of two pages, pictures or folders differ only in letter case, in Unicode form or in invisible characters; then it is a warning, and the second is published under a name with a number.",
			"An archive with such names is refused wherever it is pulled: on some system its folder could not be made, or one file would replace the other.", "Rename the pack, or one of the files."),
		rule("published-left-out", diag.Warning, inPack, "A file that the pack is published without",
			"The file is outside the folders of a pack and none of its root files; or a name in its path starts with a dot, is one that Windows reserves or cannot hold, ends in a dot or a blank, holds one of <>:\"|?*, or is one that agents or tools obey wherever they find it, such as CLAUDE.md. A split has the name of its heading.",
			"packgen pull refuses a pack with such a file: unpacked, the file would be another one, none, or a program's configuration.", "Rename the file, or the heading that the split begins with; move what is not part of the pack out of it."),
		rule("published-too-large", diag.Warning, inPack, "A file or a pack too large to publish",
			"The file has more than 64 MiB and is left out of the pack's archive; or all files together are more than is unpacked with the default limits.",
			"No reader of archives takes so large a file.", "Keep it out of the pack, or move it to sources/."),
		rule("site-oversize", diag.Warning, "the site", "A site, or a file of it, that a usual host refuses",
			"The site has more than 1 GiB, which is what GitHub Pages takes, or one of its files more than 100 MiB, which is what GitHub takes in a file. The archive of packgen pack or push is such a file, and one above 512 MiB is pulled by nobody.",
			"The upload fails, or the host stops serving the site.", "Publish in an object store, or the packs to a registry with packgen push; or make several sites of fewer packs."),
		rule("dates-unknown", diag.Warning, "packgen.yaml", "Dates that the history does not say",
			"site.dates asks for dates, and git is not there, there is no repository, or its history was cut.",
			"A clone without its history would give every page the date of its newest commit, so pages are shown without one.", "Build in a clone with its whole history (fetch-depth: 0), or leave site.dates out."),
	}
}

// archiveRules are about archives that are pulled, resolved from or verified: why
// one is refused whole.
func archiveRules() []Rule {
	const there = "an archive of packs: a tar, tar.gz or zip, and archives inside it"
	rule := func(id, title, means, why, fix string) Rule {
		return Rule{ID: id, Severity: diag.Error, Where: there, Suppress: Never, Title: title, Means: means, Why: why, Fix: fix}
	}
	const again = "Make the archive again, with packgen pack or the step of the CI that uploads it."
	return []Rule{
		rule("archive-path", "A path that no archive of a pack may hold",
			"The path is absolute, leaves the folder, has a backslash or a control character, is not UTF-8, too long or too deep, or has a name that Windows reserves, shortens or cannot hold, or that is git's own folder. In a pack, no name may start with a dot or be one that agents or tools obey wherever they find it.",
			"Unpacked, it would be a file outside the folder, or another file on another system.", "Rename the file and make the archive again. A path that leaves the folder is an attack: leave the archive alone."),
		rule("archive-layout", "A file that is not part of a pack",
			"The pack.json lists a file outside the folders of a pack that is not one of its root files either.",
			"Unpacked, the file could be the configuration of a program, which runs what it says.", "Do not use the pack; its publisher can build it again with a current packgen, which leaves such files out."),
		rule("archive-link", "A link in an archive",
			"An entry is a symbolic or a hard link, wherever it leads.",
			"What is written through a link lands where the link says.", "Put the file itself into the archive."),
		rule("archive-special", "An entry that is not a plain file",
			"An entry is a device, a pipe, a sparse file, or of a kind that is not known.",
			"A pack is made of plain files; reading or writing others has effects of its own.", "Leave it out of the archive."),
		rule("archive-clash", "Two entries that are one file",
			"Two entries have the same path, or paths that differ only in letter case or Unicode form, or a file is where a folder is.",
			"Which of them is read would depend on the system and on the order.", "Rename one, and make the archive again."),
		rule("archive-too-large", "An archive larger than the limit",
			"The archive, a file in it, or all files together have more bytes than a limit allows. Bytes are counted as they are unpacked, whatever the archive says of itself.",
			"A few megabytes can unpack to fill a disk.", "Raise pull.archive_bytes, pull.file_bytes or pull.bytes in packgen.yaml, if you trust where the archive comes from."),
		rule("archive-too-many", "An archive with too many files",
			"There are more files and folders in the archive than the limit.",
			"A small archive can hold millions of empty files.", "Raise pull.files in packgen.yaml, if you trust where the archive comes from."),
		rule("archive-nested", "Archives inside archives inside archives",
			"Archives lie one inside another, deeper than CI systems and packgen make them.",
			"Each layer can unpack to many times its size.", "Unpack it by hand and look at what it is."),
		rule("archive-truncated", "An archive that ends too early",
			"The archive, or the compressed data in it, ends in the middle.",
			"What is missing is not known.", "Fetch or make it again."),
		rule("archive-trailing", "Bytes that belong to no entry",
			"There are bytes before, between or after the entries that no entry owns.",
			"Other programs may read another archive out of the same bytes.", again),
		rule("archive-corrupt", "An archive that contradicts itself",
			"Headers, sizes or checksums do not fit each other or the data.",
			"It is damaged, or made so that programs read it differently.", again),
		rule("archive-unknown", "Not an archive that is read",
			"The bytes are not tar, tar.gz or zip, or use a form of them that is not read, such as encryption.",
			"An error page or a login page that was downloaded in place of the archive looks like this.", "Look at what the address gives, and make a plain tar.gz or zip."),
		rule("archive-empty", "An archive without files",
			"There is no file in the archive.",
			"The step that made it found nothing to put in.", "Look at the path that the step is given."),
		rule("archive-manifest", "A pack that is not what its pack.json says",
			"pack.json is missing or broken, or the files beside it are not those it lists.",
			"The files were changed after they were published, or never published by packgen.", "Publish again with packgen build or packgen pack."),
	}
}
