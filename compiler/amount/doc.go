// Package amount writes numbers for people: 1,234, 1.2 MB, 3 files. It also reads the
// whole numbers of JSON and YAML.
package amount
