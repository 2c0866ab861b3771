// Package managedblock keeps a block of lines in a text file that belongs to somebody else, and
// nothing more of the file.
package managedblock
