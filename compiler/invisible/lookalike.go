package invisible

import (
	"strings"
	"sync"
)

// alphabets are the first characters of alphabets of styled letters: full-width ones,
// those in circles, parentheses and squares, those of flags. Each has 26 letters.
var alphabets = [...]rune{0xFF21, 0xFF41, 0x249C, 0x24B6, 0x24D0, 0x1F110, 0x1F130, 0x1F150, 0x1F170, 0x1F1E6}

// The mathematical alphabets: capitals and small letters take turns, 26 of each.
const mathFirst, mathLast = 0x1D400, 0x1D6A3

// lookAlikes holds for each Latin letter the characters of other scripts, and the rare
// Latin ones, that look like it.
var lookAlikes = sync.OnceValue(func() map[rune]rune {
	const list = `aⲁⲀაаαɑᴀ⍺ªᵃₐАΑᎪꓮᗅꭺ bⲃⲂხЬьƄβвʙᵇΒВᏏꓐᑲᖯ cⲤсϲⅽᴄⲥСϹⅭᏟꓚ dɗδⲇԁժⅾᴅᵈᎠꓓᗞᑯⅮ eⲉⲈɛеҽεєᴇᵉₑ℮ℯΕЕᎬꓰ fƒϝքꞙᶠϜꓝᖴℱ gɠɡցᶃƍɢᵍԌᏀꓖℊ hⲏһհʜʰℎΗНᎻᏂꓧ ` +
		`iⲓⲒіıιɩⅰɪⁱᵢ⍳ꙇІΙⅠᎥꓲ jјϳյʲᴊЈᎫꓙ kⲔკκкᴋᵏⲕқΚКᏦꓗ l׀լӏⅼʟˡℓΙⅬᏞꓡןⵏ mⲙⲘოмⅿᴍᵐʍΜМϺᎷꓟ nⲛⲚղոռηпɴⁿᴨΝꓠℕ oøიⲞоοօσסᴏᴑⲟᵒₒჿΟОՕꓳ〇 pⲢрρϱⲣᴘᵖþРΡᏢꓑℙ qԛզգℚ rгᴦⲅꭇꭈʀʳґᎡꓣᖇℝ ` +
		`sѕꜱƽˢſςЅՏᏚᏕꓢ tⲧⲦтτᴛᵗₜΤТᎢꓔ uυսʋᴜꭎꭒᵘᵤμՍꓴᑌ vνѵⅴᴠᵛᏙꓦ wⲱⲰպѡԝաɯᴡωшʷԜᎳᏔꓪ xⲭⲬхχⅹˣХΧⅩꓫ yⲩуγүყỿʏʸΥУҮᎩᎽꓬ zⲍᴢᶻΖᏃꓜℤ`
	table := map[rune]rune{}
	for group := range strings.FieldsSeq(list) {
		for _, c := range group[1:] {
			table[c] = rune(group[0])
		}
	}
	table['ı'], table['Ι'] = 'i', 'i'
	return table
})

// LookAlike returns the small Latin letter that a character beyond ASCII looks like; 0
// when it looks like none.
func LookAlike(c rune) rune {
	if c < 0x80 {
		return 0
	}
	if c >= mathFirst && c <= mathLast {
		return 'a' + (c-mathFirst)%26
	}
	for _, first := range alphabets {
		if c >= first && c < first+26 {
			return 'a' + c - first
		}
	}
	return lookAlikes()[c]
}
