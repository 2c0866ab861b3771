package fetch

import (
	"strings"
)

// checkMirrors refuses mirrors that cannot be meant.
func checkMirrors(list []string) error {
	for _, text := range list {
		from, to, ok := strings.Cut(text, "=")
		kind, _, _ := strings.Cut(from, "://")
		other, _, _ := strings.Cut(to, "://")
		known := kind == "https" || kind == "http" || kind == "oci"
		if ok && known && (kind == other || kind == "http" && other == "https") && !strings.ContainsAny(text, "@?#") {
			continue
		}
		shown := Redact(from) // each by itself: what is before the last @ may be a password
		if ok {
			shown += "=" + Redact(to)
		}
		return &Error{Op: "use --mirror " + shown, Rule: ruleAddress, What: "this is not FROM=TO of two sites or two registries", Hint: "write --mirror https://packs.example.org=https://mirror.example.net/packs, or two oci:// places; logins come from elsewhere"}
	}
	return nil
}

// mirrored returns where a place is asked: the longest FROM counts that it begins
// with, up to the end of a name.
func (c *Client) mirrored(place string) string {
	best, target := "", ""
	for _, text := range c.options.Mirrors {
		from, to, _ := strings.Cut(text, "=")
		from = strings.TrimSuffix(from, "/")
		rest, ok := strings.CutPrefix(place, from)
		if ok && (rest == "" || strings.HasPrefix(rest, "/")) && len(from) > len(best) {
			best, target = from, strings.TrimSuffix(to, "/")+rest
		}
	}
	if best == "" {
		return place
	}
	return target
}
