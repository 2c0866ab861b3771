package pack

import "syscall"

func (s *Stamp) fill(sys any) {
	if st, ok := sys.(*syscall.Stat_t); ok {
		s.ChangeTime, s.Inode = st.Ctimespec.Nano(), st.Ino
	}
}
