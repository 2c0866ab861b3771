package publish

import (
	"syscall"

	"github.com/packgen/packgen/compiler/store"
)

func fillStat(s *store.Stat, sys any) {
	if st, ok := sys.(*syscall.Stat_t); ok {
		s.ChangeTime, s.Inode = st.Ctimespec.Nano(), st.Ino
	}
}
