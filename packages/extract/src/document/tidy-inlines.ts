import type { Inline } from './block.ts'

/**
 * Collapses white space as a browser does: runs become one space, and line ends are trimmed. White space just
 * inside emphasis is moved out, because Markdown would not parse it as emphasis.
 */
export function tidyInlines(inlines: readonly Inline[], { isPage }: { readonly isPage: boolean }): Inline[] {
  const spaced = trimLines(spreadSpaces(isPage ? withoutRepeated(inlines, []) : inlines))
  // Pages indent and separate by no-break spaces, and by breaks.
  return isPage ? splitEdges(spaced).inside.slice() : dropBreaks(spaced)
}

/** Unwraps emphasis within the same emphasis, whose marks would run together. */
function withoutRepeated(inlines: readonly Inline[], open: readonly Inline['kind'][]): Inline[] {
  return inlines.flatMap((part): Inline[] => {
    if (!('content' in part)) return [part]
    const content = withoutRepeated(part.content, [...open, part.kind])
    return open.includes(part.kind) ? content : [{ ...part, content }]
  })
}

/** Collapses runs and moves white space and breaks at the edges of wrapped content outside it. */
function spreadSpaces(inlines: readonly Inline[]): Inline[] {
  return inlines.flatMap((part): Inline[] => {
    if (part.kind === 'text') return [{ kind: 'text', text: part.text.replace(/[ \t\n\r\f]+/g, ' ') }]
    if (!('content' in part)) return [part]
    const { before, inside, after } = splitEdges(mergeTexts(spreadSpaces(part.content)))
    if (inside.length === 0 && part.kind !== 'link') return before
    return [...before, { ...part, content: inside }, ...after]
  })
}

type Edges = { readonly before: Inline[]; readonly inside: readonly Inline[]; readonly after: Inline[] }

function splitEdges(content: readonly Inline[]): Edges {
  const inside = [...content]
  const [before, after]: [Inline[], Inline[]] = [[], []]
  for (let first = inside[0]; first !== undefined; first = inside[0]) {
    const { edge, rest } = cutSpace(first, /^[ \u00a0]+/)
    if (edge === null) break
    before.push(edge)
    inside.splice(0, 1, ...rest)
  }
  for (let last = inside.at(-1); last !== undefined; last = inside.at(-1)) {
    const { edge, rest } = cutSpace(last, /[ \u00a0]+$/)
    if (edge === null) break
    after.unshift(edge)
    inside.splice(-1, 1, ...rest)
  }
  return { before, inside, after }
}

/** Cuts white space off a part; what is left of the part is empty if it was nothing else. */
function cutSpace(part: Inline, spaces: RegExp): { readonly edge: Inline | null; readonly rest: Inline[] } {
  if (part.kind === 'break') return { edge: part, rest: [] }
  const [space] = part.kind === 'text' ? (spaces.exec(part.text) ?? []) : []
  if (part.kind !== 'text' || space === undefined) return { edge: null, rest: [part] }
  const text = part.text.replace(spaces, '')
  return { edge: { kind: 'text', text: space }, rest: text === '' ? [] : [{ kind: 'text', text }] }
}

/** Joins adjacent texts, and adjacent code, whose marks would run together. */
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
      const before = merged.at(-1)
      if (part.kind === 'code' && before?.kind === 'code')
        merged[merged.length - 1] = { kind: 'code', text: before.text + part.text }
      else merged.push(part)
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

function dropBreaks(inlines: readonly Inline[]): Inline[] {
  let [start, end] = [0, inlines.length]
  while (inlines[start]?.kind === 'break') start += 1
  while (end > start && inlines[end - 1]?.kind === 'break') end -= 1
  return inlines.slice(start, end)
}
