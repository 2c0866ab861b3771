// Package rulebook explains every diagnostic id of the project: what a finding
// of it says, why it matters, how to fix what it reports, where it is looked
// for, and whether a comment in the file may switch it off. It applies no rule;
// the packages that do write the ids out, and a test holds that each id they
// use is explained here. The explanations are in rules/, a file for each kind of rule.
package rulebook
