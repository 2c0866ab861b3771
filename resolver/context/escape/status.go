package escape

// IsNotReady reports a status of packs and pages that a text for an agent says.
func IsNotReady(status string) bool { return StatusLine(status) != "" }

// StatusLine begins a text that is not ready; "" for any other status.
func StatusLine(status string) string {
	switch status {
	case "draft", "needs-review", "stale", "disputed":
		return "> Status: " + status + ". Say so where you use what follows.\n\n"
	}
	return ""
}
