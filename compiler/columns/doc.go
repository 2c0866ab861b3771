// Package columns prints tables of text in aligned columns.
package columns
