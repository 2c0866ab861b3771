package mathml

import (
	"strings"
	"sync"
)

// Symbols by their commands: identifiers are written upright or slanted as letters,
// operators with space around them, big operators with their limits above and below.
const (
	identifiers = `alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ emptyset ∅ varnothing ∅ imath ı jmath ȷ top ⊤ bot ⊥ angle ∠ triangle △ square □ prime ′ degree ° dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ % % $ $ # # & & _ _`
	operators = `pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ cap ∩ cup ∪ setminus ∖ wedge ∧ land ∧ vee ∨ lor ∨
leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ prec ≺ succ ≻ in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ mid ∣ parallel ∥ perp ⊥ vdash ⊢ models ⊨
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ hookrightarrow ↪ uparrow ↑ downarrow ↓ therefore ∴ because ∵
colon : lbrace { rbrace } { { } } | ‖ vert | Vert ‖ langle ⟨ rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ backslash \`
	bigOperators = `sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀`
	integrals    = `int ∫ iint ∬ iiint ∭ oint ∮`
	functions    = `sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp dim ker deg arg hom Pr gcd`
	limits       = `lim max min sup inf limsup liminf det argmax argmin`
	accents      = `hat ^ widehat ^ bar ¯ vec → tilde ~ widetilde ~ dot ˙ ddot ¨ check ˇ acute ´ grave ` + "`" + ` overline ‾ overrightarrow →`
	spaces       = `, 0.1667em : 0.2222em ; 0.2778em ! -0.1667em quad 1em qquad 2em enspace 0.5em thinspace 0.1667em`
)

// kind says how a command is written.
type kind uint8

const (
	unknown kind = iota
	identifier
	operator
	bigOperator
	integral
	function
	limit
	accent
	space
)

type symbol struct {
	kind kind
	text string
}

var symbols = sync.OnceValue(func() map[string]symbol {
	table := map[string]symbol{}
	for _, list := range []struct {
		kind  kind
		words string
	}{
		{identifier, identifiers}, {operator, operators}, {bigOperator, bigOperators}, {integral, integrals}, {accent, accents}, {space, spaces},
	} {
		words := strings.Fields(list.words)
		for i := 0; i+1 < len(words); i += 2 {
			table[words[i]] = symbol{list.kind, words[i+1]}
		}
	}
	for name := range strings.FieldsSeq(functions) {
		table[name] = symbol{function, name}
	}
	for name := range strings.FieldsSeq(limits) {
		table[name] = symbol{limit, name}
	}
	table[" "] = symbol{space, "0.25em"}
	return table
})

// alphabet is the letters of another style: where A, a and 0 are in Unicode, and the
// letters that are elsewhere, each after the usual one.
type alphabet struct {
	upper, lower, digit rune
	others              string
}

// alphabetOf returns the alphabet of a command.
func alphabetOf(command string) (a alphabet, ok bool) {
	switch command {
	case "mathbb":
		return alphabet{0x1D538, 0x1D552, 0x1D7D8, "CℂHℍNℕPℙQℚRℝZℤ"}, true
	case "mathcal":
		return alphabet{0x1D49C, 0x1D4B6, 0, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"}, true
	case "mathfrak":
		return alphabet{0x1D504, 0x1D51E, 0, "CℭHℌIℑRℜZℨ"}, true
	case "mathbf":
		return alphabet{0x1D400, 0x1D41A, 0x1D7CE, ""}, true
	case "boldsymbol":
		return alphabet{0x1D468, 0x1D482, 0x1D7CE, ""}, true
	case "mathsf":
		return alphabet{0x1D5A0, 0x1D5BA, 0x1D7E2, ""}, true
	case "mathtt":
		return alphabet{0x1D670, 0x1D68A, 0x1D7F6, ""}, true
	}
	return alphabet{}, false
}

// letter is a letter or digit in an alphabet.
func (a alphabet) letter(c rune) rune {
	usual := true
	for _, other := range a.others {
		switch {
		case usual && other == c:
			usual = false
		case !usual && other > 0x7F:
			return other
		}
	}
	switch {
	case c >= 'A' && c <= 'Z':
		return a.upper + c - 'A'
	case c >= 'a' && c <= 'z':
		return a.lower + c - 'a'
	case c >= '0' && c <= '9' && a.digit != 0:
		return a.digit + c - '0'
	}
	return c
}
