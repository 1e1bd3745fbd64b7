import type { Element } from 'domhandler'
import { textContent } from 'domutils'

/** Marks above a base: the command for one letter, and the one that grows. */
const OVER: Readonly<Record<string, readonly [narrow: string, wide: string]>> = {
  '^': ['hat', 'widehat'],
  '~': ['tilde', 'widetilde'],
  '¯': ['bar', 'overline'],
  '→': ['vec', 'overrightarrow'],
  '←': ['overleftarrow', 'overleftarrow'],
  '↔': ['overleftrightarrow', 'overleftrightarrow'],
  '˙': ['dot', 'dot'],
  '¨': ['ddot', 'ddot'],
  '⃛': ['dddot', 'dddot'],
  '⃜': ['ddddot', 'ddddot'],
  '´': ['acute', 'acute'],
  '`': ['grave', 'grave'],
  '˘': ['breve', 'breve'],
  ˇ: ['check', 'check'],
  '˚': ['mathring', 'mathring'],
  '⏞': ['overbrace', 'overbrace'],
  '⎴': ['overbracket', 'overbracket'],
  '⏜': ['overparen', 'overparen'],
}
const UNDER: Readonly<Record<string, string>> = {
  '¯': 'underline',
  '→': 'underrightarrow',
  '←': 'underleftarrow',
  '↔': 'underleftrightarrow',
  '⏟': 'underbrace',
  '⎵': 'underbracket',
  '⏝': 'underparen',
  '~': 'utilde',
}
/** Other characters for the same marks. */
const SAME: Readonly<Record<string, string>> = {
  ˆ: '^',
  '\u0302': '^',
  '˜': '~',
  '∼': '~',
  '\u0303': '~',
  '‾': '¯',
  '―': '¯',
  '–': '¯',
  ˉ: '¯',
  _: '¯',
  '\u0304': '¯',
  '\u0305': '¯',
  '\u0332': '¯',
  '⃗': '→',
  '⃖': '←',
  '⃡': '↔',
  '.': '˙',
  '\u0307': '˙',
  '\u0308': '¨',
  '⋅': '˙',
  '\u0301': '´',
  ʹ: '´',
  '\u0300': '`',
  ˋ: '`',
  ˊ: '´',
  '\u0306': '˘',
  '\u030c': 'ˇ',
  '\u030a': '˚',
  '∘': '˚',
  '︷': '⏞',
  '︸': '⏟',
  '︵': '⏜',
  '︶': '⏝',
  '…': '⃛',
  '...': '⃛',
  '....': '⃜',
  '..': '¨',
}
/** Arrows that grow with the text above or below them. */
const ARROWS: Readonly<Record<string, string>> = {
  '→': 'xrightarrow',
  '⟶': 'xrightarrow',
  '←': 'xleftarrow',
  '⟵': 'xleftarrow',
  '↔': 'xleftrightarrow',
  '⇒': 'xRightarrow',
  '⇐': 'xLeftarrow',
  '⇔': 'xLeftrightarrow',
  '↦': 'xmapsto',
  '↪': 'xhookrightarrow',
  '↩': 'xhookleftarrow',
  '⇌': 'xrightleftharpoons',
  '⇋': 'xleftrightharpoons',
  '⇀': 'xrightharpoonup',
  '⇁': 'xrightharpoondown',
  '↼': 'xleftharpoonup',
  '↽': 'xleftharpoondown',
  '↠': 'xtwoheadrightarrow',
  '↞': 'xtwoheadleftarrow',
}

/** Writes a mark above or below a base; null if it is no known mark. */
export function writeAccent(
  mark: Element,
  side: 'over' | 'under',
  { content, isSingle }: { readonly content: string; readonly isSingle: boolean },
): string | null {
  const text = textContent(mark).trim()
  if (mark.name !== 'mo' && mark.name !== 'mi' && mark.name !== 'mtext') return null
  const known = SAME[text] ?? text
  if (side === 'under') return UNDER[known] === undefined ? null : `\\${UNDER[known]}{${content}}`
  const commands = OVER[known]
  if (commands === undefined) return null
  const { stretchy } = mark.attribs
  const isNarrow = stretchy === 'false' || (isSingle && stretchy !== 'true' && !/[―‾_–]/.test(text))
  return `\\${commands[isNarrow ? 0 : 1]}{${content}}`
}

/** Writes an arrow with text above or below it; null if it is no known arrow. */
export function writeArrow(arrow: string, below: string, above: string): string | null {
  const command = ARROWS[arrow]
  return command === undefined ? null : `\\${command}${below === '' ? '' : `[${below}]`}{${above}}`
}
