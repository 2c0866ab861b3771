// Command packgen-hook is the prompt hook of packgen, as a program that links
// nothing else: an agent starts it on every prompt and waits for it. It is what
// "packgen hook" is, with the same flags; "packgen hook install" wires it when it
// lies beside packgen.
//
// Whatever is wrong, it says nothing and exits with 0.
package main
