// Package relink keeps the links of Markdown texts right when texts move: whole files to
// other places, or sections of a file to files of their own.
package relink
