// Package adopt looks at a folder of Markdown that belongs to another system and
// writes down what makes a pack of it where it lies: its name, what it is about, the
// order of its pages. It changes nothing in the folder.
package adopt
