import { type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'

/** Pieces of which tall and wide delimiters are drawn. */
const PIECES: readonly (readonly [pieces: string, whole: string])[] = [
  ['⎧⎨⎩', '{'],
  ['⎫⎬⎭', '}'],
  ['⎛⎝⎜', '('],
  ['⎞⎠⎟', ')'],
  ['⎡⎣⎢', '['],
  ['⎤⎦⎥', ']'],
]
const EXTENSIONS = /[⎪⏐⎯]/g
/** Characters of a font of its own: as parts of a delimiter they can be left out, alone they cannot be read. */
const OWN = /[\ue000-\uf8ff]/g
/** Arrows that are drawn with lines of any length, and marks that are drawn several times. */
const LINED = /^[-=−–—]*([←→↔⇐⇒⇔↼↽⇀⇁↠↞])[-=−–—]*$/
const REPEATED = /^([|∣∥‖⏞⏟⎴⎵⏜⏝¯‾–])\1+$/
/** Ends of which double arrows and horizontal braces are drawn. */
const ENDS: readonly (readonly [ends: RegExp, whole: string])[] = [
  [/^←→$/, '↔'],
  [/^⇐⇒$/, '⇔'],
  [/^↑↓$/, '↕'],
  [/^⇑⇓$/, '⇕'],
  [/^\ue150/, '⏞'],
  [/^\ue152/, '⏟'],
]

/** The characters of a name, number or operator that MathJax drew. */
export function readCharacters(token: Element): string {
  const all = charactersBelow(token)
  const drawn =
    all.trim() !== '' && /^[\s\p{P}\p{S}\ue000-\uf8ff]+$/u.test(all) ? all.replace(/\s+/g, '') : all
  for (const [pieces, whole] of PIECES) if ([...pieces].some((piece) => drawn.includes(piece))) return whole
  const whole = ENDS.find(([ends]) => ends.test(drawn))?.[1]
  if (whole !== undefined) return whole
  const text = drawn.replace(EXTENSIONS, '')
  const [, part] = LINED.exec(text) ?? REPEATED.exec(text) ?? []
  return part ?? (text.replace(OWN, '') || text)
}

/** Whether a text has characters that only its own font shows. */
export function hasOwnCharacters(text: string): boolean {
  return text.search(OWN) >= 0
}

function charactersBelow(node: Element): string {
  const children = getChildren(node)
  // In SVG the part of a delimiter that is repeated stands in a drawing of its own.
  const isExtension = (child: (typeof children)[number]) => isTag(child) && child.name === 'svg'
  return children
    .filter((child) => !isExtension(child) || children.every(isExtension))
    .map((child) => {
      if (!isTag(child)) return child.type === 'text' ? child.data : ''
      const { name, attribs } = child
      if (attribs['data-c'] !== undefined) return fromCode(attribs['data-c'])
      const drawn = /(?:^|\s)mjx-c([0-9A-F]+)(?:$|\s)/.exec(attribs.class ?? '')?.[1] ?? attribs.c
      if (drawn !== undefined && name.startsWith('mjx-'))
        return textContent(child) === '' || name !== 'mjx-c' ? fromCode(drawn) : textContent(child)
      return charactersBelow(child)
    })
    .join('')
}

function fromCode(code: string): string {
  const value = Number.parseInt(code, 16)
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : ''
}

/** Fonts of MathJax whose letters have the codes of plain ones. */
const FONTS: readonly (readonly [name: RegExp, variant: string])[] = [
  [/(?:TEX-|TeX-)(?:C|CB|cal-[RB]|S?cr|script-R)\b|\bmjx-(?:cal|b-cal)\b/, 'script'],
  [/(?:TEX-|TeX-)(?:FR|FRB|frak-[RB])\b/, 'fraktur'],
  [/TeX-ams-R\b/, 'double-struck'],
  [/TeX-main-B\b/, 'bold'],
  [/TeX-math-BI\b/, 'bold-italic'],
  [/TeX-sans-R\b/, 'sans-serif'],
  [/TeX-type-R\b/, 'monospace'],
  [/TeX-(?:math-)?I\b/, 'italic'],
]

/** The value of `mathvariant` that a font stands for; empty if the characters themselves have their style. */
export function readVariant(token: Element, text: string): string {
  const marks: string[] = []
  const visit = (node: Element) => {
    marks.push(node.attribs.class ?? '', node.attribs['xlink:href'] ?? node.attribs.href ?? '')
    for (const child of getChildren(node)) if (isTag(child)) visit(child)
  }
  visit(token)
  const found = FONTS.find(([name]) => marks.some((mark) => name.test(mark)))?.[1] ?? ''
  return found === 'double-struck' && !/^[A-Zk]+$/.test(text) ? '' : found
}
