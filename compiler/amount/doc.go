// Package amount writes numbers for people: 1,234, 1.2 MB, 3 files.
package amount
