package archive

// CheckTree returns nil when Extract, held to the same limits, takes an archive of
// those files, so that a publisher learns at once that it
// cannot be pulled. The error is a *Refusal about the first file, in the order given, that it
// would refuse. The folder that an archive puts around its files counts too: callers
// who know it put its name before the paths.
func CheckTree(files []File, l Limits) error {
	l = l.withDefaults()
	s := &sink{limits: l, names: newNames(l), left: l.Bytes}
	for _, f := range files {
		if err := s.take(f.Path, false); err != nil {
			return err
		}
		if err := s.allow(f.Path, f.Size); err != nil {
			return err
		}
		s.left -= f.Size
	}
	return nil
}
