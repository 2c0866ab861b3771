package packpath

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
)

// The further ways the path of a published file can be refused. Every error of
// [CheckPublished] wraps one of these or one of those of [Check].
var (
	// errName marks a name that some system cannot hold, takes for another one, or
	// gives a meaning of its own.
	errName = errors.New("a name that is not safe everywhere")
	// ErrGit is an [errName]: a name of the folder of a git repository.
	ErrGit = fmt.Errorf("%w", errName)
	// ErrLayout marks a path outside the layout of a pack, which is a closed list.
	ErrLayout = errors.New("no part of a pack")
)

// folders are the folders of a pack (agent-knowledge section 2), and those of a
// role, which a pack with a boot.yml is.
var folders = []string{
	"answers", "assets", "briefs", "compiled", "documents", "evals", "indexes",
	"ontology", "runs", "schemas", "skills", "sources", "wiki",
}

// rootFiles are the files at the root of a pack, by their exact names.
var rootFiles = []string{"KNOWLEDGE.md", "boot.yml"}

// notices are the stems of further files at the root, which describe the pack as a
// whole: in lower or upper case or with a capital, alone or with one of noticeExts.
var (
	notices    = []string{"changelog", "copying", "licence", "license", "notice", "readme"}
	noticeExts = []string{"", ".md", ".txt"}
)

// obeyed are files that agents treat as instructions in whatever folder they find
// them. Letter case counts: a page may be about agents and be called agents.md.
// Where the file system does not distinguish the two, whoever writes a pack to disk
// looks with [Obeyed].
var obeyed = []string{
	"AGENT.md", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md",
	"CRUSH.local.md", "CRUSH.md", "GEMINI.md", "QWEN.md", "WARP.md",
}

// configuring are files by which tools start programs in whatever folder they find
// them, in any letter case. A folder with a HEAD can be a git repository without a
// name that starts with a dot.
var configuring = []string{
	"crush.json", "head", "mise.local.toml", "mise.toml", "opencode.json", "opencode.jsonc",
}

// Obeyed returns the names of files that agents treat as instructions in whatever
// folder they find them.
func Obeyed() []string { return slices.Clone(obeyed) }

// IsObeyed reports the name of a file that agents treat as instructions, or tools for their
// configuration, in whatever folder they find it. Letter case does not count: some file
// systems do not distinguish it.
func IsObeyed(name string) bool {
	name = read(name)
	same := func(other string) bool { return strings.EqualFold(other, name) }
	return slices.ContainsFunc(obeyed, same) || slices.ContainsFunc(configuring, same)
}

// CheckFile returns nil when no tool obeys a file of this name wherever it finds it. It is
// the part of [CheckPublished] for files that are read where they lie.
func CheckFile(name string) error { return checkFile(name) }

// CheckPublished returns nil when a file of a published pack may have this path:
// a clean pack path, in a folder of the format or one of its root files, without a
// name that starts with a dot, that [CheckName] refuses, that holds characters which
// nobody sees, or that a tool obeys wherever it finds it. Every reader and every writer
// of published packs holds paths to this rule. The error wraps [ErrLayout], [errName],
// [ErrEscape] or [ErrUnclean].
func CheckPublished(path string) error {
	if err := Check(path); err != nil {
		return err
	}
	for part := range strings.SplitSeq(path, "/") {
		if err := CheckName(part); err != nil {
			return err
		}
		if runs := invisible.Find([]byte(part)); len(runs) > 0 {
			return fmt.Errorf("%w: a name in it holds U+%04X, which is invisible", errName, runs[0].First)
		}
		if strings.HasPrefix(Visible(part), ".") {
			return fmt.Errorf("%w: %q starts with a dot, as files do that tools obey", errName, part)
		}
	}
	top, rest, below := strings.Cut(path, "/")
	switch {
	case !below && !isRootFile(top):
		return fmt.Errorf("%w: %q is not one of the files at its root: %s", ErrLayout, top, rootList)
	case below && !slices.Contains(folders, top):
		return fmt.Errorf("%w: %q is not one of its folders: %s", ErrLayout, top, strings.Join(folders, ", "))
	case below:
		return checkFile(rest[strings.LastIndexByte(rest, '/')+1:])
	}
	return nil
}

const rootList = "KNOWLEDGE.md, boot.yml, and LICENSE, NOTICE, COPYING, README or CHANGELOG, alone or with .md or .txt"

// isRootFile reports a file that may be at the root of a pack.
func isRootFile(name string) bool {
	if slices.Contains(rootFiles, name) {
		return true
	}
	stem, ext := name, ""
	if i := strings.IndexByte(name, '.'); i >= 0 {
		stem, ext = name[:i], name[i:]
	}
	i := slices.Index(notices, strings.ToLower(stem))
	return i >= 0 && slices.Contains(noticeExts, ext) &&
		(stem[1:] == notices[i][1:] || stem == strings.ToUpper(notices[i]))
}

// read returns a name as people and some systems read it: without invisible characters,
// and without the blanks and dots at its end that Windows drops.
func read(name string) string {
	name = strings.Map(func(r rune) rune {
		if isIgnored(r) || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, name)
	return strings.TrimRightFunc(strings.TrimLeftFunc(name, unicode.IsSpace), func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
}

// checkFile checks the name of a file below a folder of the pack.
func checkFile(name string) error {
	name = read(name)
	switch {
	case slices.Contains(obeyed, name):
		return fmt.Errorf("%w: agents take a file named %s for instructions wherever they find it", errName, name)
	case slices.ContainsFunc(configuring, func(c string) bool { return strings.EqualFold(c, name) }):
		return fmt.Errorf("%w: tools take a file named %s for their configuration wherever they find it", errName, name)
	}
	return nil
}

// CheckName returns nil when one name of a path is the same name on every system:
// not one that Windows reserves for a device, cannot hold, or shortens; not git's
// own folder in any spelling. It allows other names that start with a dot, which a
// site may hold. The error wraps [errName]; empty names, "." and ".." are for
// [Check].
func CheckName(name string) error {
	shown := Visible(name)
	switch i := strings.IndexAny(name, `<>:"|?*\`); {
	case i >= 0:
		return fmt.Errorf("%w: %q holds %q, which Windows forbids", errName, name, name[i])
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return fmt.Errorf("%w: %q ends in a dot or a blank, which Windows drops", errName, name)
	case isDevice(name):
		return fmt.Errorf("%w: %q is one that Windows reserves for a device", errName, name)
	case strings.EqualFold(shown, ".git") || isGitShort(shown):
		return fmt.Errorf("%w: %q is the folder that git keeps for itself", ErrGit, name)
	}
	return nil
}

// isGitShort reports the short names that Windows may give the folder .git.
func isGitShort(name string) bool {
	const stem = "git~"
	return len(name) > len(stem) && strings.EqualFold(name[:len(stem)], stem) &&
		strings.Trim(name[len(stem):], "0123456789") == ""
}

// longestDevice is the most bytes that the name of a device has: CONOUT$, or CONIN$ with
// a letter of two bytes of which the upper case is I.
const longestDevice = 7

// isDevice reports the names that are devices on Windows, whatever their letter
// case and extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.TrimRight(stem, " ")
	if len(stem) > longestDevice {
		return false
	}
	stem = strings.ToUpper(stem)
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, isPort := strings.CutPrefix(stem, "COM")
	if !isPort {
		port, isPort = strings.CutPrefix(stem, "LPT")
	}
	return isPort && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789¹²³", port)
}

// Visible returns a name without the characters that the file system of macOS leaves
// out when it compares names.
func Visible(name string) string {
	if strings.IndexFunc(name, isIgnored) < 0 {
		return name
	}
	return strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, name)
}

// isIgnored reports a character that is left out when names are compared.
func isIgnored(r rune) bool {
	switch {
	case r < 0x200C:
		return false
	case r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x206A && r <= 0x206F, r == 0xFEFF:
		return true
	}
	return false
}
