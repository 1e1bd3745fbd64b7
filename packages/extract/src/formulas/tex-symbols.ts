/** Characters and their commands. Where several commands write one character, it is that of most packages. */
const COMMANDS = `
α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa ϰ varkappa λ lambda μ mu µ mu
ν nu ξ xi ο omicron π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi ω omega ϝ digamma
Γ Gamma Δ Delta ∆ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
ℓ ell ℘ wp ℑ Im ℜ Re ℵ aleph ℶ beth ℷ gimel ℸ daleth ℏ hbar ı imath ȷ jmath ∇ nabla ∂ partial ð eth ℧ mho Ⅎ Finv ⅁ Game
∞ infty ∀ forall ∃ exists ∄ nexists ∅ emptyset ¬ neg ⊤ top ⊥ bot ∠ angle ∡ measuredangle ∢ sphericalangle △ triangle □ square ■ blacksquare
◊ lozenge ⧫ blacklozenge ★ bigstar ♠ spadesuit ♡ heartsuit ♢ diamondsuit ♣ clubsuit ♭ flat ♮ natural ♯ sharp ✓ checkmark ✠ maltese Ⓢ circledS
‵ backprime § S ¶ P © copyright ® circledR £ pounds ¥ yen
± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ⋆ star ∘ circ ∙ bullet • bullet ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ⊛ circledast
⊚ circledcirc ⊝ circleddash ⊞ boxplus ⊟ boxminus ⊠ boxtimes ⊡ boxdot † dagger ‡ ddagger ⨿ amalg ∧ wedge ∨ vee ∩ cap ∪ cup ⋒ Cap ⋓ Cup
⊎ uplus ⊓ sqcap ⊔ sqcup ≀ wr ⋄ diamond ◃ triangleleft ▹ triangleright ▵ triangle ▽ bigtriangledown ∖ setminus ⋉ ltimes ⋊ rtimes
⋋ leftthreetimes ⋌ rightthreetimes ⊺ intercal ∔ dotplus ⊼ barwedge ⊻ veebar ⩞ doublebarwedge ⋎ curlyvee ⋏ curlywedge ⋇ divideontimes
∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ⨌ iiiint ∮ oint ∯ oiint ∰ oiiint ⋂ bigcap ⋃ bigcup ⋁ bigvee ⋀ bigwedge ⨀ bigodot ⨁ bigoplus ⨂ bigotimes
⨄ biguplus ⨆ bigsqcup
≤ leq ≥ geq ≦ leqq ≧ geqq ⩽ leqslant ⩾ geqslant ≪ ll ≫ gg ⋘ lll ⋙ ggg ≠ neq ≡ equiv ∼ sim ≃ simeq ≈ approx ≊ approxeq ≅ cong ≍ asymp ≐ doteq
≑ doteqdot ≒ fallingdotseq ≓ risingdotseq ≖ eqcirc ≗ circeq ≜ triangleq ≏ bumpeq ≎ Bumpeq ∝ propto ≔ coloneqq ≕ eqqcolon
≺ prec ≻ succ ⪯ preceq ⪰ succeq ≼ preccurlyeq ≽ succcurlyeq ⋞ curlyeqprec ⋟ curlyeqsucc ≾ precsim ≿ succsim ⪷ precapprox ⪸ succapprox
⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊊ subsetneq ⊋ supsetneq ⫅ subseteqq ⫆ supseteqq ⫋ subsetneqq ⫌ supsetneqq ⋐ Subset ⋑ Supset
⊏ sqsubset ⊐ sqsupset ⊑ sqsubseteq ⊒ sqsupseteq ∈ in ∉ notin ∋ ni ⊢ vdash ⊣ dashv ⊨ models ⊧ models ⟂ perp ⊩ Vdash ⊪ Vvdash ⊬ nvdash ⊭ nvDash ⊮ nVdash ⊯ nVDash
∣ mid ∤ nmid ∥ parallel ∦ nparallel ⋈ bowtie ⌣ smile ⌢ frown ≬ between ⋔ pitchfork ∴ therefore ∵ because
≲ lesssim ≳ gtrsim ⪅ lessapprox ⪆ gtrapprox ≶ lessgtr ≷ gtrless ⋚ lesseqgtr ⋛ gtreqless ⪋ lesseqqgtr ⪌ gtreqqless ⋖ lessdot ⋗ gtrdot
⪕ eqslantless ⪖ eqslantgtr ≮ nless ≯ ngtr ≰ nleq ≱ ngeq ⪇ lneq ⪈ gneq ≨ lneqq ≩ gneqq ⋦ lnsim ⋧ gnsim ⪉ lnapprox ⪊ gnapprox ⊀ nprec ⊁ nsucc
⋠ npreceq ⋡ nsucceq ⋨ precnsim ⋩ succnsim ⪵ precneqq ⪶ succneqq ⪹ precnapprox ⪺ succnapprox ≁ nsim ≇ ncong ⊈ nsubseteq ⊉ nsupseteq
⊲ vartriangleleft ⊳ vartriangleright ⊴ trianglelefteq ⊵ trianglerighteq ⋪ ntriangleleft ⋫ ntriangleright ⋬ ntrianglelefteq ⋭ ntrianglerighteq
▲ blacktriangle ▼ blacktriangledown ◀ blacktriangleleft ▶ blacktriangleright ▿ triangledown ◯ bigcirc ∽ backsim ⋍ backsimeq ϶ backepsilon
→ to ← leftarrow ↔ leftrightarrow ↑ uparrow ↓ downarrow ↕ updownarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ⇑ Uparrow ⇓ Downarrow ⇕ Updownarrow
⟶ longrightarrow ⟵ longleftarrow ⟷ longleftrightarrow ⟹ Longrightarrow ⟸ Longleftarrow ⟺ Longleftrightarrow ↦ mapsto ⟼ longmapsto
↗ nearrow ↘ searrow ↙ swarrow ↖ nwarrow ↩ hookleftarrow ↪ hookrightarrow ↼ leftharpoonup ↽ leftharpoondown ⇀ rightharpoonup ⇁ rightharpoondown
⇌ rightleftharpoons ⇋ leftrightharpoons ⇝ rightsquigarrow ↭ leftrightsquigarrow ↠ twoheadrightarrow ↞ twoheadleftarrow ↣ rightarrowtail
↢ leftarrowtail ↬ looparrowright ↫ looparrowleft ↺ circlearrowleft ↻ circlearrowright ↶ curvearrowleft ↷ curvearrowright ⇢ dashrightarrow
⇠ dashleftarrow ⇉ rightrightarrows ⇇ leftleftarrows ⇆ leftrightarrows ⇄ rightleftarrows ⇈ upuparrows ⇊ downdownarrows ↿ upharpoonleft
↾ upharpoonright ⇃ downharpoonleft ⇂ downharpoonright ⇚ Lleftarrow ⇛ Rrightarrow ↰ Lsh ↱ Rsh ⊸ multimap ↛ nrightarrow ↚ nleftarrow
↮ nleftrightarrow ⇏ nRightarrow ⇍ nLeftarrow ⇎ nLeftrightarrow
… ldots ⋯ cdots ⋮ vdots ⋱ ddots
⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ⟦ llbracket ⟧ rrbracket ⌜ ulcorner ⌝ urcorner ⌞ llcorner ⌟ lrcorner
⟮ lgroup ⟯ rgroup ⎰ lmoustache ⎱ rmoustache ‖ Vert √ surd ╱ diagup ╲ diagdown
`
const SYMBOLS: ReadonlyMap<string, string> = toPairs(COMMANDS)
/** Characters with a meaning in TeX, and those that differ from the ASCII ones of formulas. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['\\', '\\backslash '],
  ['~', '\\sim '],
  ['^', '\\hat{}'],
  ['\u2212', '-'],
  ['\u2010', '-'],
  ['\u2032', '\\prime '],
  ['\u2033', '\\prime \\prime '],
  ['\u2034', '\\prime \\prime \\prime '],
  ['\u2057', '\\prime \\prime \\prime \\prime '],
  ['\u2236', ':'],
  ['\u2215', '/'],
  ['\u00a0', '\\;'],
  ['`', '‘'],
])
/** Variants by a selector, and what a solidus strikes out, as one command. */
const VARIANTS: ReadonlyMap<string, string> = new Map([
  ['⊊\ufe00', 'varsubsetneq'],
  ['⊋\ufe00', 'varsupsetneq'],
  ['⫋\ufe00', 'varsubsetneqq'],
  ['⫌\ufe00', 'varsupsetneqq'],
  ['≨\ufe00', 'lvertneqq'],
  ['≩\ufe00', 'gvertneqq'],
])

/** Styles of letters in the order of their blocks in Unicode (Mathematical Alphanumeric Symbols). */
const LETTER_STYLES =
  'bold italic bold-italic script bold-script fraktur double-struck bold-fraktur sans-serif bold-sans-serif sans-serif-italic sans-serif-bold-italic monospace'.split(
    ' ',
  )
const GREEK_STYLES = 'bold italic bold-italic bold-sans-serif sans-serif-bold-italic'.split(' ')
const DIGIT_STYLES = 'bold double-struck sans-serif bold-sans-serif monospace'.split(' ')
/** Letters of these styles that Unicode had before. */
const LETTERLIKE: ReadonlyMap<string, string> = new Map([
  ...[...'ℂℍℕℙℚℝℤ'].map((letter) => [letter, 'double-struck'] as const),
  ...[...'ℬℰℱℋℐℒℳℛℯℊℴ'].map((letter) => [letter, 'script'] as const),
  ...[...'ℭℌℨ'].map((letter) => [letter, 'fraktur'] as const),
  ['ℎ', 'italic'],
])

/** The letter that a character draws, and its style, as a value of `mathvariant`. */
export function splitStyle(character: string): { readonly letter: string; readonly style: string } {
  const code = character.codePointAt(0) ?? 0
  const letter = () => character.normalize('NFKC')
  const known = LETTERLIKE.get(character)
  if (known !== undefined) return { letter: letter(), style: known }
  if (code < 0x1d400 || code > 0x1d7ff) return { letter: character, style: '' }
  if (code < 0x1d6a4)
    return { letter: letter(), style: LETTER_STYLES[Math.floor((code - 0x1d400) / 52)] ?? '' }
  if (code < 0x1d6a8) return { letter: character === '𝚤' ? 'ı' : 'ȷ', style: 'italic' }
  if (code < 0x1d7ca)
    return { letter: letter(), style: GREEK_STYLES[Math.floor((code - 0x1d6a8) / 58)] ?? '' }
  return { letter: letter(), style: DIGIT_STYLES[Math.floor((code - 0x1d7ce) / 10)] ?? '' }
}

/** Writes the characters of a formula as TeX; those without a command stay. */
export function writeSymbols(text: string): string {
  let written = ''
  for (const character of text.match(/.[\u0338\ufe00]?/gsu) ?? []) {
    const variant = VARIANTS.get(character)
    const negation = character.endsWith('\u0338') ? '\\not ' : ''
    written += variant === undefined ? negation + writeSymbol(firstOf(character)) : `\\${variant} `
  }
  return written
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 32)
}

function writeSymbol(character: string): string {
  const command = SYMBOLS.get(character)
  if (command !== undefined) return `\\${command} `
  return PLAIN.get(character) ?? character.replace(/[{}%#&$_]/, '\\$&')
}

function toPairs(list: string): Map<string, string> {
  const words = list.trim().split(/\s+/)
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ''] as const] : [])))
}
