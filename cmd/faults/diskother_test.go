//go:build !linux

package faults_test

import (
	"errors"
	"fmt"
	"os/exec"
)

// mainBelowDisk is called first in TestMain.
func mainBelowDisk() {}

// Supported returns nil when programs can be started on such a disk here.
func Supported() error { return fmt.Errorf("a disk that fails: %w", errors.ErrUnsupported) }

// Run runs a program.
func (d *Disk) Run(*exec.Cmd) (*Report, error) { return nil, Supported() }
