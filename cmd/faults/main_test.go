// Package faults_test runs packgen as a process and kills it, has the disk below it fail, cuts
// the power, and runs several at once.
package faults_test

import (
	"os"
	"testing"

	"github.com/packgen/packgen/compiler/disktest"
)

func TestMain(m *testing.M) {
	disktest.Main()
	os.Exit(m.Run())
}
