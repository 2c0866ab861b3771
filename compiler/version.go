package compiler

// Version is the compiler version that run records name. It is a constant of
// the source, never a version-control stamp, so that two builds of one source
// write the same records.
const Version = "0.1.0"

// toolName is the compiler name in run records.
const toolName = "packgen"
