package site

import (
	"os"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestMain(m *testing.M) { os.Exit(oktest.Main(m)) }
