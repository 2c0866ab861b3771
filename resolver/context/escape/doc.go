// Package escape recognises the tags that content could use to leave the element
// it is printed in. It knows what a lenient reader looks through: white space
// inside a tag, and invisible characters.
package escape
