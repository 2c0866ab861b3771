package repo

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// PullConfig is the "pull" section: how much an archive from elsewhere may hold.
// Zero is the default of package archive.
type PullConfig struct {
	Files        int64 `key:"files" is:"number" or:"'200000'" doc:"files and folders in an archive"`
	Bytes        int64 `key:"bytes" is:"bytes" or:"'1 GiB'" doc:"all files unpacked"`
	FileBytes    int64 `key:"file_bytes" is:"bytes" or:"'64 MiB'" doc:"one file unpacked"`
	ArchiveBytes int64 `key:"archive_bytes" is:"bytes" or:"'512 MiB'" doc:"an archive, and a download"`
	PathBytes    int64 `key:"path_bytes" is:"number" or:"'1280'" doc:"bytes of a path"`
	Depth        int64 `key:"depth" is:"number" or:"'64'" doc:"names in a path"`
	Nested       int64 `key:"nested" is:"number" or:"'3'" doc:"archives one inside another"`
}

// maxLimit is the highest value of a limit: what an int holds everywhere.
const (
	maxLimit = math.MaxInt32
	maxBytes = 1 << 50
)

// keys reads the section.
func (c *PullConfig) keys(r *strictyaml.Reader) strictyaml.Keys {
	return strictyaml.Keys{
		"files":         limitOf(r, &c.Files, maxLimit),
		"bytes":         limitOf(r, &c.Bytes, maxBytes),
		"file_bytes":    limitOf(r, &c.FileBytes, maxBytes),
		"archive_bytes": limitOf(r, &c.ArchiveBytes, maxBytes),
		"path_bytes":    limitOf(r, &c.PathBytes, maxLimit),
		"depth":         limitOf(r, &c.Depth, maxLimit),
		"nested":        limitOf(r, &c.Nested, maxLimit),
	}
}

// Archive are the limits on archives.
func (c PullConfig) Archive() archive.Limits {
	return archive.Limits{
		Files: int(c.Files), Bytes: c.Bytes, FileBytes: c.FileBytes, ArchiveBytes: c.ArchiveBytes,
		PathBytes: int(c.PathBytes), Depth: int(c.Depth), Nested: int(c.Nested),
	}
}

// limitOf reads a whole number from 1 to most; of bytes also with a unit.
func limitOf(r *strictyaml.Reader, field *int64, most int64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		unit := most == maxBytes
		hint := "write a whole number"
		if unit {
			hint = "write a number of bytes, or one followed by KiB, MiB or GiB"
		}
		if kind := strictyaml.Type(n); kind != strictyaml.Number && (!unit || kind != strictyaml.String) {
			r.WrongType(n, "a number", hint)
			return
		}
		value, ok := parseAmount(n)
		switch {
		case !ok:
			r.Fault(n, hint, "%q is no such number", n.Value)
		case value < 1 || value > most:
			r.Fault(n, hint, "%s is not between 1 and %d", n.Value, most)
		default:
			*field = value
		}
	}
}

// parseAmount reads a number, and text such as 12 MiB.
func parseAmount(n *yaml.Node) (value int64, ok bool) {
	if strictyaml.Type(n) == strictyaml.Number {
		return amount.Whole(n.Value)
	}
	text, times := n.Value, int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB"} {
		if number, found := strings.CutSuffix(text, name); found {
			text, times = number, 1<<(10*(i+1))
		}
	}
	value, err := strconv.ParseInt(strings.TrimRight(text, " "), 10, 64)
	return value * times, err == nil && value >= 0 && value <= maxBytes/times && !strings.HasPrefix(text, "+")
}
