package packpath

import (
	"path"
	"slices"
	"strings"
)

// CanShow reports whether a file beside pages may be on a site as it is, by the ending of
// its name, from which a server decides what a browser makes of it. It is a closed list of
// what browsers show, play or save: never HTML, a script, a style or another document that
// could run one. An SVG is looked at before it is published. Some servers go by an ending
// before one that they do not know, or that says how a file is packed: evil.html.gz is HTML.
func CanShow(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	if !slices.Contains(outermost, ext) && isActive(strings.TrimSuffix(path.Base(name), path.Ext(name))) {
		return false
	}
	switch ext {
	case ".md", ".txt", ".csv", ".tsv", ".json", ".yaml", ".yml", ".toml", ".bib", ".ics", ".canvas", ".base", ".ipynb":
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg":
	case ".mp3", ".m4a", ".ogg", ".oga", ".opus", ".wav", ".flac", ".mp4", ".m4v", ".mov", ".webm", ".ogv", ".vtt", ".srt":
	case ".pdf", ".epub", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp":
	case ".zip", ".gz", ".tgz", ".tar", ".xz", ".zst", ".7z":
	default:
		return false
	}
	return true
}

// outermost are endings that every server knows: none before them counts.
var outermost = []string{".md", ".txt", ".csv", ".json", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".pdf", ".zip", ".mp3", ".mp4", ".webm"}

// active are endings of documents that a browser runs, and of programs of servers.
var active = []string{"asp", "aspx", "cgi", "css", "htm", "html", "js", "jsp", "mjs", "php", "phtml", "shtml", "svg", "xht", "xhtml", "xml", "xsl", "xslt"}

// isActive reports a name with an active ending anywhere in it.
func isActive(stem string) bool {
	for i, part := range strings.Split(strings.ToLower(stem), ".") {
		if i > 0 && slices.Contains(active, part) {
			return true
		}
	}
	return false
}
