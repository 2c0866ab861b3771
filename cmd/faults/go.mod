module github.com/packgen/packgen/cmd/faults

go 1.26.0

toolchain go1.26.8

require (
	github.com/packgen/packgen v0.1.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

// The program that is killed is built from the checkout that this module lies in.
replace github.com/packgen/packgen => ../..
