// Package boot implements boot.yml: for each brief and each skill of a role it
// decides whether a boot says it (prints its content) or only refers to it
// (prints its path), and what that costs.
//
// A role is a directory with briefs/, skills/ and optionally a boot.yml.
// [Open] or [OpenFS] finds its files; [Role.Boot] selects, and the [Result]
// renders itself; [Role.Report] adds what the role costs in every choice of
// usecases and what in its boot.yml does not do what its author meant. Nothing
// is written before every check has passed.
//
// [Check] is the same for a lint: everything worth knowing as diagnostics.
// [Role.Survey] boots many choices of usecases at once, for a page that shows
// them. [Role.Always] is what the boot of a pack says whatever the task, for the
// context resolver; [PackLayout] makes a role of a pack.
//
// Words, from boot.yml section 1:
//
//	brief     a file below briefs/ whose name ends in .md
//	skill     any regular file below skills/
//	item      a brief or a skill; its identity is its type and its path
//	say       print the content
//	ref       print the path only
//	mention   a path-only line for an item whose content is above
//	section   "always", one "subject.<slug>", or "also"
//	home      the section that holds the content of an item
//
// # Choices
//
// Where the format leaves a point open, or safety asks for more than it says:
//
//   - A hide list (or its alias, not) in a simple-mode mapping or in always
//     takes the items it matches out of the whole boot. In a subject it takes
//     them out of that subject, since another subject may say them on purpose.
//     Either way they do not turn up in also.
//   - Merge keys (<<) are refused: read as an unknown key, one would silently
//     turn "say these" into "say everything".
//   - Content is printed as it is in the file with two exceptions: the < of
//     anything that reads as a tag of the boot becomes &lt;, and a byte that is
//     not UTF-8 becomes U+FFFD, because a reader that drops such bytes could
//     join the two halves of a closing tag. Each is reported.
//   - Line breaks and other control characters in a path are printed as numeric
//     character references. So is the slug in a mention.
//   - A link that leaves the repository root and the allowed roots refuses the
//     boot, naming the link, rather than dropping a file without a word.
//
// Reading a role and booting it are one package because every report names files and
// globs by their places in both; matching globs is in package glob.
package boot
