//go:build !linux

package pack

// openHandle opens a directory of a pack, by its path without links.
func (p *Pack) openHandle(dir string) (handle, error) { return fsHandle{p.fsys, dir}, nil }
