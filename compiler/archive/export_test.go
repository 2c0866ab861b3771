package archive

// CheckPath returns nil when a path may be in an archive: clean, relative, UTF-8,
// and one and the same file on every system ([packpath.CheckName]). What a pack may
// hold is fewer paths, those of [packpath.CheckPublished]. The error is a *Refusal
// by RulePath.
func CheckPath(path string) error {
	if r := checkPath(path, Limits{}.withDefaults()); r != nil {
		return r
	}
	return nil
}
