package packpath

import (
	"path"
	"strings"
)

// CanShow reports whether a file beside pages may be on a site as it is, by the ending of
// its name, from which a server decides what a browser makes of it. It is a closed list of
// what browsers show, play or save: never HTML, a script, a style or another document that
// could run one. An SVG is looked at before it is published.
func CanShow(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
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
