// Package vocabulary finds the words that tell the sections of one file apart: those that
// somebody with a task for a section may use, and hardly anybody with another task.
package vocabulary
