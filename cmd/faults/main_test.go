// Package faults_test runs packgen as a process and kills it, has the disk below it fail, cuts
// the power, and runs several at once.
package faults_test

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	mainBelowDisk()
	if dir := os.Getenv(writer); dir != "" {
		if err := write(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
