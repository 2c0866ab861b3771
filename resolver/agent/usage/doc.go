// Package usage reports what agents loaded, from the log that the prompt hook keeps:
// which entries, how often, which never, and the words of prompts that nothing
// matched.
package usage
