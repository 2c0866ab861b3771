// Package strictyaml reads the YAML that people write by hand: front matter,
// packgen.yaml, boot.yml and the files of evals. It refuses what a lax reader
// lets pass, such as a key given twice, and every fault has its place in the
// file and the same words wherever it is found.
package strictyaml
