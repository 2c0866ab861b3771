package store

import "syscall"

func (s *Stat) fill(sys any) {
	if st, ok := sys.(*syscall.Stat_t); ok {
		s.ChangeTime, s.Inode = st.Ctimespec.Nano(), st.Ino
	}
}
