import type { Inline } from './block.ts'

/**
 * Collapses white space as a browser does: runs become one space, and line ends are trimmed. White space just
 * inside emphasis is moved out, because Markdown would not parse it as emphasis.
 */
export function tidyInlines(inlines: readonly Inline[]): Inline[] {
  const spaced = spreadSpaces(inlines)
  return dropBreaks(trimLines(spaced))
}

/** Collapses runs and moves white space at the edges of wrapped content outside it. */
function spreadSpaces(inlines: readonly Inline[]): Inline[] {
  return inlines.flatMap((part): Inline[] => {
    if (part.kind === 'text') return [{ kind: 'text', text: part.text.replace(/[ \t\n\r\f]+/g, ' ') }]
    if (!('content' in part)) return [part]
    const content = mergeTexts(spreadSpaces(part.content))
    const [first, last] = [content[0], content.at(-1)]
    const before: Inline[] = first?.kind === 'text' && /^ /.test(first.text) ? [SPACE] : []
    const after: Inline[] = last?.kind === 'text' && / $/.test(last.text) ? [SPACE] : []
    const trimmed = content
      .map((inner, at): Inline => {
        if (inner.kind !== 'text') return inner
        const start = at === 0 ? inner.text.replace(/^ +/, '') : inner.text
        return { kind: 'text', text: at === content.length - 1 ? start.replace(/ +$/, '') : start }
      })
      .filter((inner) => inner.kind !== 'text' || inner.text !== '')
    if (trimmed.length === 0 && part.kind !== 'link') return [...before, ...after].slice(0, 1)
    return [...before, { ...part, content: trimmed }, ...after]
  })
}

const SPACE: Inline = { kind: 'text', text: ' ' }

function mergeTexts(inlines: readonly Inline[]): Inline[] {
  const merged: Inline[] = []
  let texts: string[] = []
  const endText = () => {
    const text = texts.join('').replace(/ {2,}/g, ' ')
    if (text !== '') merged.push({ kind: 'text', text })
    texts = []
  }
  for (const part of inlines) {
    if (part.kind === 'text') texts.push(part.text)
    else {
      endText()
      merged.push(part)
    }
  }
  endText()
  return merged
}

/** Trims white space at the start, at the end and next to breaks. */
function trimLines(inlines: readonly Inline[]): Inline[] {
  const merged = mergeTexts(inlines)
  return merged
    .map((part, at): Inline => {
      if (part.kind !== 'text') return part
      const [before, after] = [merged[at - 1], merged[at + 1]]
      let { text } = part
      if (before === undefined || before.kind === 'break') text = text.replace(/^ +/, '')
      if (after === undefined || after.kind === 'break') text = text.replace(/ +$/, '')
      return { kind: 'text', text }
    })
    .filter((part) => part.kind !== 'text' || part.text !== '')
}

/** Drops breaks at the start and end. */
function dropBreaks(inlines: readonly Inline[]): Inline[] {
  let [start, end] = [0, inlines.length]
  while (inlines[start]?.kind === 'break') start += 1
  while (end > start && inlines[end - 1]?.kind === 'break') end -= 1
  return inlines.slice(start, end)
}
