// Package injection finds instruction-like text, which might make a model take
// data for orders (agent-knowledge section 18.3): phrases that override, take on
// a role, ask for the prompt or hide something from the user, role tags,
// downloads that are run, invisible characters and comments. A phrase in
// disguise is one all the same: the text is looked at again with character
// references, look-alike letters and markup inside words undone (fold.go).
//
// The scan is a pure function of the text and takes time linear in it. It helps
// a reviewer. What keeps text from giving orders is the fence it is delivered in,
// so a writer gains little by using quotation marks.
package injection
