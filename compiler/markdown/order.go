package markdown

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// isOrders reports a list that an order introduces, or of which more than half of the items
// are orders.
func (w *walker) isOrders(list ast.Node) bool {
	if before := list.PreviousSibling(); before != nil && (before.Kind() == ast.KindParagraph || before.Kind() == ast.KindTextBlock) {
		if text := w.plain.text(before); strings.HasSuffix(text, ":") && strings.Contains(text, " ") && isOrder(text) {
			return true
		}
	}
	items, orders := 0, 0
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		items++
		if first := item.FirstChild(); first != nil && (first.Kind() == ast.KindParagraph || first.Kind() == ast.KindTextBlock) && !beginsWithCode(first) && isOrder(w.plain.text(first)) {
			orders++
		}
	}
	return 2*orders > items
}

// beginsWithCode reports a paragraph whose first word is code: a name, and no verb of an order.
func beginsWithCode(paragraph ast.Node) bool {
	first := paragraph.FirstChild()
	return first != nil && first.Kind() == ast.KindCodeSpan
}

// longestOrder is how many words of a text decide whether it is an order.
const longestOrder = 40

// isOrder reports a text that tells the reader to do something.
func isOrder(text string) bool {
	if endsAsOrder(text) {
		return true
	}
	if i := strings.Index(text, ") "); i > 0 && text[0] == '(' {
		text = text[i+2:]
	}
	written := strings.Fields(text)
	written = written[:min(len(written), longestOrder)]
	words := strings.Fields(strings.ToLower(strings.Join(written, " ")))
	if len(words) != len(written) {
		return false // a letter whose small form is a blank
	}
	for len(words) > 1 && leads(words[0]) && words[1] != "of" {
		words, written = words[1:], written[1:]
	}
	if len(words) == 0 || strings.HasSuffix(strings.TrimRight(words[0], "*_`"), ":") {
		return false // only a label
	}
	if sentence := firstSentence(words); slices.Contains(sentence, "please") || slices.Contains(sentence, "bitte") {
		return true
	}
	if isCondition(words[0]) {
		return ordersUnder(words, written)
	}
	first := strings.Trim(words[0], "*_`\"'“„«([,;:")
	if isIn(first, "ne no não non") && len(words) > 1 {
		return beginsAsOrder(words[1], words[1:]) || first == "não" && len(words[1]) > 4 && strings.HasSuffix(words[1], "r")
	}
	if first == "don't" || first == "don’t" || first == "do" && len(words) > 1 && isIn(words[1], "not a an the this these your as so it") {
		return true
	}
	if beginsAsOrder(first, words) || endsInInfinitive(written) {
		return true
	}
	if !strings.Contains(orders, " "+first+" ") || len(words) > 1 && words[1] == "of" && first != "think" && first != "dispose" {
		return ordersAfterManner(words)
	}
	return first == "ensure" || first == "make" && len(words) > 1 && words[1] == "sure" || !states(words[1:])
}

// ordersUnder reports an order after its condition: "If the lamp is red, press the key".
func ordersUnder(words, written []string) bool {
	for i, word := range words {
		if strings.HasSuffix(word, ",") {
			return isOrder(strings.Join(written[i+1:], " ")) || ordersAfterComma(words[i+1:])
		}
	}
	return endsInInfinitive(written) || ordersLater(words)
}

// ordersLater reports an order after words about when or for what it holds: "For local travel
// choose the voucher".
func ordersLater(words []string) bool {
	for i, word := range words[:len(words)-1] {
		switch {
		case isFinite(word), strings.HasSuffix(word, "."):
			return false
		case i > 1 && !isSmallWord(words[i-1]) && isVerb(words[i:]):
			return true
		}
	}
	return false
}

// isVerb reports words of which the first is the verb of an order in English by what follows
// it: "count the notes", "check out the till".
func isVerb(words []string) bool {
	next := words[1:]
	if len(next) > 1 && isIn(next[0], "out up off down through") {
		next = next[1:]
	}
	return strings.Contains(orders, " "+words[0]+" ") && isIn(next[0], determiners)
}

// ordersAfterComma reports an order after any comma: "if the town, the state or both are new, make a note".
func ordersAfterComma(words []string) bool {
	for i := 1; i+1 < len(words) && !strings.HasSuffix(words[i-1], "."); i++ {
		if strings.HasSuffix(words[i-1], ",") && (words[i] == "see" || isVerb(words[i:])) {
			return true
		}
	}
	return false
}

// longestManner is how many words before an order and a comma say in what way it is done.
const longestManner = 4

// ordersAfterManner reports an order after a few words and a comma: "One by one, count the notes".
func ordersAfterManner(words []string) bool {
	for i, word := range words[:min(len(words), longestManner)] {
		if isFinite(word) || isPronoun(word) || !isWord(strings.TrimSuffix(word, ",")) {
			return false
		}
		if strings.HasSuffix(word, ",") {
			return ordersAfterComma(words[i:min(len(words), i+3)])
		}
	}
	return false
}

// determiners follow the verb of an order in English.
const determiners = "the a an your these those any each its their our my"

// An order begins with its verb, which a word for "the" or "your" follows, while a statement
// begins with its subject: "Öffne die Lade", "Abra el cajón", "Flag the message". Other
// words that may come first have other endings.
//
// beginsAsOrder reports words of which the first is the verb of an order by what follows it.
func beginsAsOrder(first string, words []string) bool {
	if len(words) < 2 || !isWord(strings.Trim(words[0], "*_`[")) || isSmallWord(first) {
		return false
	}
	next := strings.Trim(words[1], "*_`\"'“„«(,;:.")
	ends := func(list ...string) bool {
		for _, end := range list {
			if strings.HasSuffix(first, end) {
				return len(first) > len(end)
			}
		}
		return false
	}
	switch {
	case next == "sie":
		return ends("en", "ern", "eln")
	case ends("ez") && len(first) > 4, first == "faites", ends("йте", "ите", "ьте", "йтесь", "итесь", "ьтесь"):
		return true
	case isIn(next, determiners):
		return ends("ss", "us") || !ends("s", "ing", "ed", "ly")
	case isIn(next, "den die das einen eine ein dein deine deinen deinem ihre ihren jede jeden jedes"):
		return ends("e")
	case strings.HasPrefix(next, "l'"), strings.HasPrefix(next, "l’"), isIn(next, "le la les el los las un une una il lo gli o os um uma votre vos ton ta tes su sus tu tus seu sua su"):
		return !statesAbroad(words[2:]) && (ends("a", "e", "er", "ir", "ar", "is", "i") || ends("re"))
	case isIn(next, "sur dans en em no na à al ao auf clic"):
		return !statesAbroad(words[2:]) && ends("er", "ir", "ar", "a", "e")
	}
	return false
}

// endsInInfinitive reports German words that end in a verb in its basic form, where no
// statement has it: "Bei rotem Licht die Taste halten".
func endsInInfinitive(written []string) bool {
	last := strings.Trim(written[len(written)-1], ".!)*_")
	if len(written) < 2 || len(last) < 5 || last != strings.ToLower(last) || isIn(last, statesInGerman) || !isWord(last) ||
		!strings.HasSuffix(last, "en") && !strings.HasSuffix(last, "ern") && !strings.HasSuffix(last, "eln") {
		return false
	}
	german := 0
	for i, word := range written[:len(written)-1] {
		word = strings.Trim(word, ".,;:!()*_")
		small := strings.ToLower(word)
		switch {
		case strings.HasSuffix(written[i], ","), isFinite(small), isIn(small, statesInGerman), i == 0 && isIn(small, "wir sie ich man er es"), strings.HasSuffix(written[i], ".") && i > 0:
			return false
		case i == 0 && len(written) < 4 && isIn(small, "die alle beide diese viele"):
			return false // may be a subject and its verb
		case isIn(small, germanWords):
			german += 2
		case word != small && i > 0:
			german++ // nouns have capitals
		}
	}
	return german > 1 || len(written) == 2 && written[0] != strings.ToLower(written[0]) && strings.Contains(last, "ie")
}

// statesAbroad reports a verb of a statement in French, Spanish, Portuguese or Italian.
func statesAbroad(words []string) bool {
	for _, raw := range words {
		word := strings.Trim(raw, ".,;:!()\"'`*_")
		if isIn(word, "que qui si où cuando quando lorsque pour para afin se ou et y e") {
			return false
		}
		if isIn(word, "est sont était étaient sera a ont peut peuvent doit doivent n'est es está están son era fue será tiene tienen puede pueden debe deben é são está estão foi tem têm pode podem deve devem è sono può possono hanno") {
			return true
		}
		if strings.HasSuffix(raw, ".") {
			return false
		}
	}
	return false
}

// endsAsOrder reports the orders of Chinese, Japanese and Korean, which a word for "please"
// begins or ends.
func endsAsOrder(text string) bool {
	text = strings.TrimRight(text, " 。.！!")
	for _, start := range [...]string{"请", "請", "不要", "切勿"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	for _, end := range [...]string{"ください", "下さい", "ましょう", "세요", "십시오", "시오"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// isIn reports a word of a list of words with blanks between them.
func isIn(word, list string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(" "+list+" ", " "+word+" ")
}

// isWord reports letters alone.
func isWord(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return word != ""
}

// The words of German that tell its sentences apart from others, and the verbs of its statements.
const (
	germanWords    = "der die das den dem des ein eine einen einem einer und oder mit bei am im zum zur vom auf an aus nach vor nicht nie niemals immer erst dann danach zuerst jede jeden alle wenn von über unter neu sofort"
	statesInGerman = "ist sind war waren wird werden wurde wurden hat haben hatte hatten kann können konnte muss müssen musste soll sollen sollte sollten darf dürfen will wollen möchte lässt lassen gibt"
)

// isSmallWord reports a word that no sentence has as its verb: prepositions, conjunctions,
// pronouns and adverbs of the languages whose orders are known.
func isSmallWord(word string) bool {
	return isCondition(word) || isPronoun(word) || isIn(word, smallWords)
}

const smallWords = "our its my his her about above across all almost along although among and another anywhere are around as at away back because been before being below beside besides between beyond both but can could did does down" +
	" despite due either else even ever every everyone except few had has have here how however inside into is just like many maybe may might more most much must near neither never nobody no none nor not now of off often only" +
	" opposite or other out outside over past perhaps plus quite rather same should so some sometimes soon still such than that the their then there therefore these this those though through throughout till today together" +
	" too toward under unlike up upon usually very via was were what whatever which who whom whose why will within would yes yet you your" +
	" alle als am an auf aus bei bis da damit dann das dass dem den denn der des deshalb die dies diese dieser dieses doch durch ein eine einem einen einer eines er es für gegen heute hier ich ihr ihre im in je jede jeder jedes" +
	" kein keine man manche mehrere mit nach nahe neben nur ob oder ohne ohne sein seine seit sie sind so sowie statt über um und unter viele vom von vor während warum was weder weil welche wenn wer wie wir wo zu zum zur zwei zwischen" +
	" après au autre aussi aux avant avec ce cela ces cette chaque chez comme contre dans de depuis derrière des dès deux devant donc du elle elles en entre et être hors il ils je jusque la le les leur lors mais malgré même ni nous" +
	" on or ou où outre par parce pas pendant plus plusieurs pour pourquoi puis quand que quel quelle qui sans sauf selon si son sous sur tous tout toute toutes très un une vers voici voilà vous assez" +
	" a al algo ambas ambos ante antes aquí así aunque bajo cada como con contra cuando de debajo del desde después donde durante el ella ellos en entre es esa ese esta está este estas estos excepto fuera hacia hasta incluso la las lo" +
	" los mas más mediante mientras mucho muy nada ni no nos o otra otro para pero por porque pues que quien según ser si sí sin sobre solo son su sus también tanto toda todas todo todos tras un una uno usted y ya" +
	" ainda ao aos após apesar aquela aquele até cada com como da das de depois do dos e ela ele eles em embora enquanto entre essa esse esta este isso isto já mais mas mesmo na nas nem no nos nós onde os ou para pela pelo pelos por" +
	" quando que se sem seja sob sobre somente também toda todas todo todos um uma você vocês che chi come con da dal dalla di dopo dove fra fino già ha ma nel nella ogni oltre per perché più prima qualche quando questo questa sono tra tutti tutte"

// leads reports a word that may come before an order.
func leads(word string) bool {
	switch strings.Trim(word, ",:.") {
	case "please", "better", "double", "then", "first", "next", "now", "always", "never", "just", "also", "again", "and", "or", "otherwise", "afterwards", "instead", "step",
		"bitte", "zuerst", "dann", "danach", "immer", "nie", "niemals", "puis", "ensuite", "enfin", "toujours", "jamais", "nunca", "siempre", "luego", "después", "primero", "não", "sempre", "depois", "primeiro", "poi", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		return true
	}
	return isAdverb(word)
}

// isAdverb reports an English adverb of manner or time that may come before an order.
func isAdverb(word string) bool {
	word = strings.TrimSuffix(word, ",")
	return strings.HasSuffix(word, "ly") && isWord(word) && !strings.Contains(orders, " "+word+" ")
}

// isCondition reports a word that begins what comes before an order and a comma.
func isCondition(word string) bool {
	switch word {
	case "if", "when", "once", "after", "before", "while", "to", "for", "in", "on", "at", "with", "as", "until", "unless", "from", "where", "whenever", "without", "based", "during", "since", "per", "under", "using", "by", "instead",
		"wenn", "falls", "sobald", "bevor", "nachdem", "bei", "vor", "nach", "um", "si", "quand", "lorsque", "pour", "avant", "après", "cuando", "para", "antes", "después", "se", "quando", "depois", "dopo", "prima":
		return true
	}
	return false
}

// states reports words with the verb of a statement: what follows "that", "if" and the like
// is a clause of its own.
func states(words []string) bool {
	for i, raw := range words {
		word := strings.Trim(raw, ".,;:!()\"'`*_")
		switch word {
		case "that", "you", "your", "we", "they", "which", "who", "what", "where", "when", "if", "until", "unless", "because", "so", "whether", "how", "why", "before", "after", "while", "as", "once", "since", "than", "and", "or":
			return false
		}
		if isFinite(word) && !isPlural(words, i) {
			return true
		}
		if end := strings.TrimRight(raw, "\"'”’)*_"); end == "" || strings.IndexByte(".:;!", end[len(end)-1]) >= 0 || strings.HasPrefix(raw, "(") {
			return false
		}
	}
	return false
}

// isPlural reports a verb of a statement that is the plural of a noun as well, and is one
// where a sentence ends after it, or "of", "for" and the like follow.
func isPlural(words []string, i int) bool {
	word := strings.Trim(words[i], ".,;:!()\"'`*_")
	return isIn(word, "needs takes shows stands lies costs ends runs holds returns says means") &&
		(word != words[i] || i+1 == len(words) || words[i+1] == "of" || isCondition(words[i+1]) && (word != "needs" || words[i+1] != "to"))
}

// isFinite reports a verb that a statement has and an order does not begin with.
func isFinite(word string) bool {
	switch word {
	case "is", "are", "was", "were", "isn't", "aren't", "isn’t", "aren’t", "has", "have", "had", "can", "cannot", "can't", "may", "must", "will", "would", "should", "does", "doesn't", "don’t", "did", "do",
		"means", "holds", "contains", "needs", "takes", "makes", "gives", "says", "shows", "belongs", "runs", "stands", "lies", "costs", "lasts", "begins", "ends", "comes", "goes", "depends", "becomes", "stays", "remains", "returns", "includes":
		return true
	}
	return false
}

// orders are the verbs that instructions begin with.
const orders = " accept acknowledge activate add adjust agree aim align allow announce answer append apply approve archive arrange ask assemble assess assign attach audit avoid back bake be begin" +
	" bind block boil book boot break bring browse build bump buy calculate call cancel capture carry cast catch change charge chat check choose clean clear click clone close collect combine come" +
	" commit compare compile complete compose compute confirm configure connect consider contact continue convert cool copy correct count cover create cut deactivate debug decide declare decrease" +
	" define delegate delete deliver deny deploy describe design detach determine develop diagnose disable discard disconnect discuss dismiss display distribute divide document download drag drain" +
	" draw drill drink drive drop dry dump duplicate edit eject eliminate email empty enable encourage encrypt end ensure enter erase escalate establish estimate evaluate examine execute exit expect" +
	" explain export expose extract fasten fetch file fill filter find finish fix flag flash flip flush fold follow force forget fork format forward free gather generate get give go grab grant group guess" +
	" handle hang have heat help hide highlight hit hold hook identify ignore implement import improve include increase inform initialize initialise insert inspect install instead interrupt introduce" +
	" investigate invite invoke involve isolate issue join keep kill know label launch lay learn leave let lift limit link list listen load locate lock log login look loop lower mail maintain make" +
	" manage mark match measure merge migrate mind minimize mix modify monitor mount move name navigate note notify obtain offer omit open operate order organize override pack park parse pass paste" +
	" patch pause perform pick pin ping place plan play plug point populate post pour prefer prepare press prevent print prioritize proceed process produce promote prompt propose protect prove provide" +
	" publish pull pump purge push put query quit quote raise reach read rebase reboot rebuild recall receive record recover redeploy redirect reduce refer refill refresh refuse register reinstall" +
	" reject release reload remember remind remove rename renew reopen repair repeat replace reply report request require rerun rescue reserve reset resolve respect respond restart restore restrict" +
	" resume retain retry return reuse revert review revoke rewrite rinse roll rotate round run sample save say scale scan schedule scroll seal search secure see select send separate serve set share" +
	" shift ship shut sign simplify skip sort speak specify spin split spread stage stand start state stay step stick stop store strip submit subscribe substitute subtract suggest summarize supply" +
	" suspend swap switch sync tag take talk tap tar teach tell terminate test think throttle throw tick tidy tie tighten toggle touch trace track train transfer transform treat trigger trim trust try" +
	" tune turn type uncheck undo uninstall unlock unmount unpack unplug unset update upgrade upload use validate verify view visit wait wake walk warm warn wash watch weigh wipe withdraw work wrap write zip descale acquire advise advocate alert allocate ask attend audit authenticate bear cite clarify coordinate communicate conduct consult contribute cultivate default deepen demonstrate designate dedicate" +
	" direct document elevate embrace emphasize empower encourage engage enroll err evangelize expand facilitate familiarize focus foster frame gain guard hand hire honor host imagine inquire internalize iterate keep lead leverage maximize" +
	" meet mentor model negotiate observe onboard own participate pay perceive practice preserve present privilege provision pursue reassure recognize recommend recruit reflect refrain reimagine ride rely rotate seek select shadow" +
	" showcase solicit stay steer strengthen strive structure study supervise support surface sustain tailor target think translate understand undertake unblock utilize value vary volunteer weigh welcome wear mute bill abide act adhere augment balance celebrate coach collaborate contextualize decline embed enjoy formalize inspire instruct interact invest" +
	" orient overcommunicate oversee reimburse relax represent revisit shape shorten skim streamline thank troubleshoot wonder "
