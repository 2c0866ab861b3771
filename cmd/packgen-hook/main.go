package main

import (
	"os"

	"github.com/packgen/packgen/resolver/agent/hook"
)

func main() {
	hook.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
