//go:build !linux && !darwin

package publish

import "github.com/packgen/packgen/compiler/store"

// fillStat knows nothing more than the modification time here.
func fillStat(*store.Stat, any) {}
